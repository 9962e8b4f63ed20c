package system

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// somebody is a user of the system without any rights, with a home that nobody else can enter.
type somebody struct {
	name, home string
	credential *syscall.Credential
}

func newSomebody(t *testing.T) somebody {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip(
			"SKIPPED, NOTHING WAS TESTED: only root can make a user and become it; as anybody " +
				"else the other tests show it",
		)
	}
	s := somebody{name: fmt.Sprintf("dg-test-%d", os.Getpid())}
	base, err := apptest.ReachableFolder()
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	s.home = filepath.Join(base, "home")
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
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	require.NoError(t, err)
	s.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	require.NoError(t, os.Mkdir(s.home, 0o700))
	require.NoError(t, os.Chown(s.home, int(uid), int(gid)))
	return s
}

// become makes a command the user's, from a copy of the program that it can reach.
func (s somebody) become(t *testing.T) func(*exec.Cmd) {
	t.Helper()
	return func(cmd *exec.Cmd) {
		program := filepath.Join(s.home, "dg")
		// By another process: a child that another test is just starting would hold a file that
		// this one writes, and a program that is being written cannot be run.
		require.NoError(t, exec.Command("cp", cmd.Path, program).Run())
		require.NoError(t, os.Chmod(program, 0o755))
		require.NoError(t, os.Chown(program, int(s.credential.Uid), int(s.credential.Gid)))
		cmd.Path = program
		cmd.Dir = s.home
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential}
		cmd.Env = append(cmd.Env, "HOME="+s.home, "USER="+s.name,
			"TMPDIR="+filepath.Join(s.home, "tmp"))
		require.NoError(t, os.MkdirAll(filepath.Join(s.home, "tmp"), 0o700))
		require.NoError(t,
			os.Chown(filepath.Join(s.home, "tmp"), int(s.credential.Uid), int(s.credential.Gid)))
	}
}

// processes lists what runs as the user.
func (s somebody) processes(t *testing.T) string {
	t.Helper()
	// fails when there is none
	out, _ := exec.CommandContext(t.Context(), "ps", "-u", strconv.Itoa(int(s.credential.Uid)),
		"-o",
		"pid=,args=").Output()
	return string(out)
}

// Issue, "make run": as a normal user, in a folder that nobody else can enter, also one with spaces
// and a long path, the printed line works; afterwards nothing runs and no socket is left.
func TestAsANormalUser(t *testing.T) {
	t.Parallel()
	s := newSomebody(t)
	for _, dir := range []string{
		".data", // the default, beside the program
		filepath.Join(s.home, "a folder with spaces and an umlaut ü", strings.Repeat("long/", 10),
			strings.Repeat("x", 200-len(s.home)-90)),
	} {
		t.Run(strconv.Itoa(len(dir))+" characters", func(t *testing.T) {
			c := apptest.LaunchWith(t, s.become(t), "serve", "--demo", "--data-dir", dir, "--addr",
				"127.0.0.1:0", "--ops-addr", "127.0.0.1:0").UntilServing()
			apptest.Until(t, 5*time.Second, "there is no curl line", func() bool {
				return apptest.CurlLine.MatchString(c.Out.String())
			})
			body, status := paste(t, c.Out.String())
			require.Equal(t, "200", status, body)
			require.Contains(t, s.processes(t), "postgres")
			c.Stop()
			apptest.Until(t, 5*time.Second, "something runs on", func() bool {
				return s.processes(t) == ""
			})
			left, err := filepath.Glob(filepath.Join(s.home, "tmp", "*"))
			require.NoError(t, err)
			require.Empty(t, left, "no socket is left")
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(s.home, dir)
			}
			info, err := os.Stat(dir)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "the data is the user's alone")
		})
	}
}

var usedFolder = regexp.MustCompile(`used=(/\S+)`)

// As root PostgreSQL runs as another user, who cannot enter a folder of root's alone: dg says where
// the data is instead, and finds it there again.
func TestAsRootInAFolderOfRootAlone(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOTHING WAS TESTED: this is about root")
	}
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o700))
	var kept string
	for range 2 {
		c := apptest.Launch(t, "serve", "--demo", "--data-dir", dir, "--addr", "127.0.0.1:0",
			"--ops-addr", "127.0.0.1:0").UntilServing()
		apptest.Until(t, 5*time.Second, "there is no curl line", func() bool {
			return apptest.CurlLine.MatchString(c.Out.String())
		})
		said := usedFolder.FindStringSubmatch(c.Log.String())
		require.NotNil(t, said, "it says where the data is: %s", c.Log.String())
		t.Cleanup(func() { _ = os.RemoveAll(said[1]) })
		body, status := paste(t, c.Out.String())
		require.Equal(t, "200", status)
		if kept != "" {
			require.Equal(t, kept, body)
		}
		kept = body
		c.Stop()
		apptest.NothingRuns(t, said[1], goneWithin)
	}
}
