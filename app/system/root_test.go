package system

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
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

// requireUser fails unless every thread is the user's, with no capability left and no group of
// root's, as /proc has it.
func requireUser(c *apptest.Child, uid, gid uint32) {
	c.T.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.Process.Pid))
	require.NoError(c.T, err)
	require.NotEmpty(c.T, threads)
	for _, thread := range threads {
		text, _ := os.ReadFile(thread) // a thread may have ended
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			ids := strings.Fields(value)
			switch name {
			case "Uid":
				require.Equal(c.T, fmt.Sprintf("[%[1]d %[1]d %[1]d %[1]d]", uid), fmt.Sprint(ids))
			case "Gid":
				require.Equal(c.T, fmt.Sprintf("[%[1]d %[1]d %[1]d %[1]d]", gid), fmt.Sprint(ids))
			case "Groups":
				require.NotContains(c.T, ids, "0")
			case "CapInh", "CapPrm", "CapEff", "CapAmb":
				require.Equal(c.T, []string{"0000000000000000"}, ids, name)
			}
		}
	}
}

// privileged is a data folder that dg serves as root, on ports of a loopback address of the test's
// own that only root can bind.
type privileged struct {
	t         *testing.T
	dir, host string
}

// serve starts dg, which continues as the owner of the data.
func (p privileged) serve(args ...string) *apptest.Child {
	p.t.Helper()
	c := apptest.ServeOn(p.t, p.dir,
		append([]string{"--addr", p.host + ":81", "--ops-addr", p.host + ":82"}, args...)...)
	owner := statOf(p.t, filepath.Join(p.dir, "data"))
	require.NotZero(p.t, owner.Uid)
	requireUser(c, owner.Uid, owner.Gid)
	apptest.Until(p.t, 10*time.Second, "the log does not name the user", func() bool {
		return strings.Contains(c.Log.String(), fmt.Sprintf("user=%d", owner.Uid))
	})
	return c
}

// nothingIsLeft requires that no process and no socket of the folder is left.
func (p privileged) nothingIsLeft() {
	p.t.Helper()
	apptest.NothingRuns(p.t, p.dir, goneWithin)
	of := statOf(p.t, p.dir)
	owner := statOf(p.t, filepath.Join(p.dir, "data")).Uid
	require.NoDirExists(p.t, fmt.Sprintf("/tmp/dg-%d-%x-%x", owner, of.Dev, of.Ino))
}

func statOf(t *testing.T, path string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t)
}

// As root, dg serve binds its ports and continues as the user that owns the data. All that it did
// as root it still does: it answers, shows its figures, lets other commands use the server, joins
// one that another command has launched, stops in order without waiting for that, and leaves nothing.
func TestServeGivesUpRoot(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	pid := os.Getpid()
	p := privileged{t, apptest.NewFolder(t), fmt.Sprintf("127.77.%d.%d", pid>>8&0xff, pid&0xff)}
	c := p.serve("--demo")
	c.DemoToken()
	paste(t, c.Out.String())
	metrics := apptest.Ask(t, apptest.NewClient(), "http://"+p.host+":82/metrics", "")
	require.Contains(t, apptest.ReadAll(t, metrics), "\nprocess_open_fds ", "/proc/self is its own")
	apptest.Succeeds(t, p.dir, "migrate")
	require.Zero(t, statOf(t, fmt.Sprintf("/proc/%d/mem", c.Process.Pid)).Uid,
		"no other process of the user reads its memory")
	c.Kill()
	apptest.NothingRuns(t, p.dir, goneWithin)

	door := apptest.OpenDoor(t, p.dir)
	c = p.serve()
	door.GiveBack(t)
	apptest.Succeeds(t, p.dir, "segments")
	c.Fetch("/readyz", "")
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
	c := apptest.ServeWith(t, "--database-url", db.URL, "--migrate-database-url", db.OwnerURL)
	c.Fetch("/readyz", "")
	c.Stop() // the whole log is read then
	require.Equal(t, 1, strings.Count(c.Log.String(), "dg serve runs as root"), "%s", c.Log.String())
}

// somebody is a user of the system without any rights, with a home that nobody else can enter.
type somebody struct {
	name, home string
	uid, gid   int
}

func newSomebody(t *testing.T) somebody {
	t.Helper()
	needsRoot(t) // as anybody else the other tests show it
	base, err := apptest.ReachableFolder()
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	s := somebody{name: fmt.Sprintf("dg-test-%d", os.Getpid()), home: filepath.Join(base, "home")}
	if out, err := exec.CommandContext(t.Context(), "useradd", "--no-log-init", "-M", "-d", s.home,
		s.name).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: no user can be made: %v %s", err, out)
	}
	t.Cleanup(func() {
		apptest.Until(t, 10*time.Second, "the user is in use", func() bool {
			return exec.CommandContext(context.Background(), "userdel", s.name).Run() == nil
		})
	})
	u, err := user.Lookup(s.name)
	require.NoError(t, err)
	s.uid, err = strconv.Atoi(u.Uid)
	require.NoError(t, err)
	s.gid, err = strconv.Atoi(u.Gid)
	require.NoError(t, err)
	for _, dir := range []string{s.home, filepath.Join(s.home, "tmp")} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.Chown(dir, s.uid, s.gid))
	}
	return s
}

// become makes a command the user's, from a copy of the program that it can reach.
func (s somebody) become(t *testing.T) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		program := filepath.Join(s.home, "dg")
		// By another process: a child that another test is just starting would hold a file that
		// this one writes, and a program that is being written cannot be run.
		require.NoError(t, exec.Command("cp", "--remove-destination", cmd.Path, program).Run())
		require.NoError(t, os.Chown(program, s.uid, s.gid))
		cmd.Path = program
		cmd.Dir = s.home
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.gid)},
		}
		cmd.Env = append(cmd.Env, "HOME="+s.home, "USER="+s.name, "TMPDIR="+s.home+"/tmp")
	}
}

// serves starts dg serve as the user, on a folder of theirs.
func (s somebody) serves(t *testing.T, dir string, args ...string) *apptest.Child {
	t.Helper()
	return apptest.LaunchWith(t, s.become(t), append([]string{"serve", "--data-dir", dir,
		"--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}, args...)...).UntilServing()
}

// runsNothing waits until no process of the user is left.
func (s somebody) runsNothing(t *testing.T) {
	t.Helper()
	apptest.Until(t, 10*time.Second, "something runs on", func() bool {
		return exec.Command("pgrep", "-u", s.name).Run() != nil
	})
}

// README, Try it: as a normal user, in a folder that nobody else can enter, also one with spaces
// and a long path, the printed line works; afterwards nothing runs and no socket is left.
func TestAsANormalUser(t *testing.T) {
	t.Parallel()
	s := newSomebody(t)
	for _, dir := range []string{
		filepath.Join(s.home, ".data"),
		filepath.Join(s.home, "a folder with spaces and an umlaut ü", strings.Repeat("long/", 10),
			strings.Repeat("x", 200-len(s.home)-90)),
	} {
		c := s.serves(t, strings.TrimPrefix(dir, s.home+"/"), "--demo")
		c.DemoToken()
		paste(t, c.Out.String())
		c.Stop()
		s.runsNothing(t)
		left, err := filepath.Glob(filepath.Join(s.home, "tmp", "*"))
		require.NoError(t, err)
		require.Empty(t, left, "no socket is left")
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "the data is the user's alone")
	}
	// Root backs up and restores folders of others, beside the server and alone.
	pgtest.NeedProgram(t, "pg_dump")
	dir := filepath.Join(s.home, ".data")
	alone, _ := apptest.BackUp(t, dir)
	c := s.serves(t, dir)
	beside, _ := apptest.BackUp(t, dir)
	restored(t, alone)
	restored(t, beside)
	own := apptest.LaunchWith(t, s.become(t), "backup", "--data-dir", dir, "own")
	require.Zero(t, own.Status(time.Minute), "%s", own.Log.String())
	c.Stop()
	again := apptest.LaunchWith(t, s.become(t), "restore", "--data-dir", "other", "own")
	require.Zero(t, again.Status(time.Minute), "%s", again.Log.String())
	s.runsNothing(t)
}
