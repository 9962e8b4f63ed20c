package cluster

import (
	"context"
	_ "embed"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed guardian.sh
var guardian string

// folder is where the cluster is, and the user that it runs as.
type folder struct {
	t    testing.TB
	dir  string
	user *syscall.Credential // nil: this process's
}

// newFolder makes the folder, in memory where the system has that. When the test ends nothing runs
// in it, and it is gone.
func newFolder(t testing.TB) folder {
	t.Helper()
	f := folder{t: t}
	parent := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	var err error
	f.dir, err = os.MkdirTemp(parent, "dg-cluster-")
	require.NoError(t, err)
	f.guard()
	if os.Geteuid() == 0 {
		f.user = otherUser(t)
	}
	f.own(f.dir)
	return f
}

// guard starts the guardian, and has it end everything when the test ends.
func (f folder) guard() {
	f.t.Helper()
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", guardian, "guardian", f.dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C at the terminal does not reach it
	alive, err := cmd.StdinPipe()
	require.NoError(f.t, err)
	require.NoError(f.t, cmd.Start())
	f.t.Cleanup(func() {
		_ = alive.Close()
		_ = cmd.Wait()
		require.NoDirExists(f.t, f.dir)
	})
}

// otherUser is the user of PostgreSQL, which refuses to run as root.
func otherUser(t testing.TB) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	require.NoError(t, err)
	uid, err := strconv.Atoi(u.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(u.Gid)
	require.NoError(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// own gives a path to the cluster's user.
func (f folder) own(path string) {
	f.t.Helper()
	if f.user != nil {
		require.NoError(f.t, os.Chown(path, int(f.user.Uid), int(f.user.Gid)))
	}
}

// make makes the folder of a server.
func (f folder) make(name string) string {
	f.t.Helper()
	dir := filepath.Join(f.dir, name)
	if err := os.Mkdir(dir, 0o700); !os.IsExist(err) {
		require.NoError(f.t, err)
	}
	f.own(dir)
	return dir
}

// write writes a file of a server and returns its path.
func (f folder) write(server, name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.make(server), name)
	require.NoError(f.t, os.WriteFile(path, []byte(text), 0o600))
	f.own(path)
	return path
}

// command is one in the folder of a server, with nothing of this process's environment.
func (f folder) command(server, program string, args ...string) *exec.Cmd {
	f.t.Helper()
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Dir = f.make(server)
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: f.user}
	return cmd
}

// run runs a command of a server to its end.
func (f folder) run(server, program string, args ...string) {
	f.t.Helper()
	out, err := f.command(server, program, args...).CombinedOutput()
	require.NoError(f.t, err, "%s\n%s", program, out)
}

// find returns the path of a program of a Debian package.
func find(t testing.TB, program, debian string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		path, err = exec.LookPath(filepath.Join("/usr/sbin", program))
	}
	if err != nil {
		t.Fatalf("cluster: %s is missing: install Debian's package %s", program, debian)
	}
	return path
}

// copyProgram copies dg to a folder where the cluster's user can run it.
func (f folder) copyProgram(program string) string {
	f.t.Helper()
	to := filepath.Join(f.make("bin"), "dg")
	in, err := os.Open(program)
	require.NoError(f.t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(f.t, err)
	_, err = io.Copy(out, in)
	require.NoError(f.t, err)
	require.NoError(f.t, out.Close())
	f.own(to)
	return to
}
