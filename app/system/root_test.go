package system

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/pgtest"
)

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("SKIPPED, NOTHING WAS TESTED: this is about root on Linux")
	}
}

// rightsOf are the lines of /proc that say what each thread of the process may do, such as "Uid: 0
// 0 0 0".
func rightsOf(c *apptest.Child) map[string][]string {
	c.T.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.Process.Pid))
	require.NoError(c.T, err)
	require.NotEmpty(c.T, threads)
	found := map[string][]string{}
	for _, thread := range threads {
		text, _ := os.ReadFile(thread) // a thread may have ended
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "id") ||
				name == "Groups" || strings.HasPrefix(name, "Cap") {
				found[name] = append(found[name], strings.Join(strings.Fields(value), " "))
			}
		}
	}
	return found
}

// requireUser fails unless every thread is the user's, with no capability left and no group of
// root's.
func requireUser(c *apptest.Child, uid, gid uint32) {
	c.T.Helper()
	rights := rightsOf(c)
	for name, id := range map[string]uint32{"Uid": uid, "Gid": gid} {
		for _, ids := range rights[name] {
			require.Equal(c.T, fmt.Sprintf("%[1]d %[1]d %[1]d %[1]d", id), ids, name)
		}
	}
	for _, groups := range rights["Groups"] {
		require.NotContains(c.T, strings.Fields(groups), "0", "Groups")
	}
	for _, name := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
		for _, set := range rights[name] {
			require.Equal(c.T, "0000000000000000", set, name)
		}
	}
}

// privileged is a data folder that dg serves as root, on ports that only root can bind.
type privileged struct {
	t              *testing.T
	dir, addr, ops string
}

// newPrivileged serves on a loopback address of the test's own.
func newPrivileged(t *testing.T, host string) privileged {
	t.Helper()
	needsRoot(t)
	return privileged{t: t, dir: apptest.NewFolder(t), addr: host + ":81", ops: host + ":82"}
}

// serve starts dg, which continues as the owner of the data.
func (p privileged) serve(args ...string) *apptest.Child {
	p.t.Helper()
	c := apptest.Launch(p.t,
		append([]string{"serve", "--data-dir", p.dir, "--addr", p.addr, "--ops-addr", p.ops},
			args...)...).UntilServing()
	owner := statOf(p.t, filepath.Join(p.dir, "data"))
	require.NotZero(p.t, owner.Uid)
	requireUser(c, owner.Uid, owner.Gid)
	require.Contains(p.t, c.Log.String(), fmt.Sprintf("user=%d", owner.Uid))
	return c
}

// beside runs a command as root while dg serves.
func (p privileged) beside(args ...string) {
	p.t.Helper()
	c := apptest.Launch(p.t, append(args, "--data-dir", p.dir)...)
	require.Zero(p.t, c.Status(time.Minute), "%s", c.Log.String())
}

// nothingIsLeft requires that no process and no socket of the folder is left.
func (p privileged) nothingIsLeft() {
	p.t.Helper()
	apptest.NothingRuns(p.t, p.dir, goneWithin)
	of := statOf(p.t, p.dir)
	require.NoDirExists(p.t,
		fmt.Sprintf("/tmp/dg-%d-%x-%x", statOf(p.t, filepath.Join(p.dir, "data")).Uid, of.Dev,
			of.Ino))
}

func statOf(t *testing.T, path string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t)
}

// As root, dg serve binds its ports and continues as the user that owns the data. All that it did
// as root it still does: it answers, shows its figures, lets other commands use the server, stops
// in order and leaves nothing.
func TestServeGivesUpRoot(t *testing.T) {
	t.Parallel()
	p := newPrivileged(t, "127.0.0.77")
	c := p.serve("--demo")
	_, status := paste(t, c.Out.String())
	require.Equal(t, "200", status)
	require.Contains(t,
		apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), "http://"+p.ops+"/metrics", "")),
		"\nprocess_open_fds ", "/proc/self is its own")
	p.beside("migrate")
	c.Stop()
	p.nothingIsLeft()

	c = p.serve()
	require.Zero(t, statOf(t, fmt.Sprintf("/proc/%d/mem", c.Process.Pid)).Uid,
		"no other process of the user reads its memory")
	c.Kill()
	apptest.NothingRuns(t, p.dir, goneWithin)
	p.serve().Stop()
	apptest.NothingRuns(t, p.dir, goneWithin)
}

// dg serve, which has given up root, joins a server that another command has launched, and keeps it
// when that command leaves. Stopped before the other one, it does not wait for it.
func TestServeWithoutRootSharesItsPostgreSQL(t *testing.T) {
	t.Parallel()
	p := newPrivileged(t, "127.0.0.78")
	door := apptest.OpenDoor(t, p.dir)
	c := p.serve()
	p.beside("segments")
	door.GiveBack(t)
	p.beside("segments")
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), c.URL+"/readyz", "").StatusCode)
	door = apptest.OpenDoor(t, p.dir)
	begun := time.Now()
	c.Stop()
	require.Less(t, time.Since(begun), 10*time.Second)
	require.Equal(t, 1, apptest.Read[int](t, door, `select 1`))
	door.GiveBack(t)
	p.nothingIsLeft()
}

// Where no data folder names the user to continue as, dg serve logs that and serves as root.
func TestServeAsRootOnAnotherDatabaseSaysSo(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	db := pgtest.New(t)
	c := apptest.LaunchWith(t, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "DG_DATABASE_URL="+db.URL, "DG_MIGRATE_DATABASE_URL="+db.OwnerURL)
	}, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0").UntilServing()
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), c.URL+"/readyz", "").StatusCode)
	require.Equal(t, 1, strings.Count(c.Log.String(), "dg serve runs as root"), "%s",
		c.Log.String())
	c.Stop()
}

// An address that is taken is an error at once, before anything is served.
func TestOpsAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: apptest.NewFolder(t)}
	busy, _ := p.serve("serve")
	taken := strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(busy, "Serving on ")),
		"http://")
	other := &program{t: t, dir: apptest.NewFolder(t)}
	status, output := other.run("serve", "--addr", "127.0.0.1:0", "--ops-addr", taken)
	require.Equal(t, 1, status)
	require.Contains(t, output,
		"cannot serve metrics on "+taken+" (set DG_OPS_ADDR to a free address)")
	require.NotContains(t, output, "Serving on")
}
