package embeddedpg

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// userVariable makes the test binary a user of a data folder, which a test can kill.
const userVariable = "DG_EMBEDDEDPG_TEST_FOLDER"

// fast keeps the tests from waiting for the disk.
var fast = []string{"--fsync=off", "--shared_buffers=16MB"}

func TestMain(m *testing.M) {
	if dir := os.Getenv(userVariable); dir != "" {
		use(dir)
		return
	}
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start PostgreSQL")
		return
	}
	os.Exit(m.Run())
}

// use says that it has the server, or the error, and ends with standard input.
func use(dir string) {
	s, err := Start(context.Background(), dir, fast...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("started")
	_, _ = os.Stdin.Read(make([]byte, 1))
	if err := s.Stop(context.Background()); err != nil {
		panic(err)
	}
}

// another is another process that uses a folder.
type another struct {
	*exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// begin starts another process on the folder; prepare may change the command.
func begin(t *testing.T, dir string, prepare func(*exec.Cmd)) another {
	program, err := os.Executable()
	require.NoError(t, err)
	a := another{Cmd: exec.CommandContext(context.Background(), program)}
	a.Env = append(os.Environ(), userVariable+"="+dir)
	a.Stderr = os.Stderr
	a.in, err = a.StdinPipe()
	require.NoError(t, err)
	out, err := a.StdoutPipe()
	require.NoError(t, err)
	a.out = bufio.NewReader(out)
	if prepare != nil {
		prepare(a.Cmd)
	}
	require.NoError(t, a.Start())
	t.Cleanup(a.kill)
	return a
}

// says waits for what the process says: "started", or an error.
func (a another) says(t *testing.T) string {
	line, err := a.out.ReadString('\n')
	require.NoError(t, err, "it said nothing")
	return strings.TrimSpace(line)
}

// join starts another process on the folder and waits until it has the server.
func join(t *testing.T, dir string, prepare func(*exec.Cmd)) another {
	a := begin(t, dir, prepare)
	require.Equal(t, "started", a.says(t))
	return a
}

// end lets the process leave the server.
func (a another) end(t *testing.T) {
	require.NoError(t, a.in.Close())
	require.NoError(t, a.Wait())
}

func (a another) kill() {
	_ = a.Process.Kill()
	_ = a.Wait()
}

// newFolder is anotherFolder for a test that becomes parallel.
func newFolder(t *testing.T, below ...string) string {
	t.Parallel()
	return anotherFolder(t, below...)
}

// anotherFolder is a path for a data folder that PostgreSQL's user can enter, in memory if possible. A
// server that is left on it at the end is killed.
func anotherFolder(t *testing.T, below ...string) string {
	parent := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base, err := os.MkdirTemp(parent, "dg-embeddedpg-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(base, 0o755))
	dir := filepath.Join(append([]string{base}, append(below, "data folder")...)...)
	t.Cleanup(func() {
		f := dataDir{path: dataPath(dir)}
		if p, err := f.readPIDFile(); err == nil && f.running() {
			_ = syscall.Kill(p.id, syscall.SIGQUIT)
			ended(t, dir)
			_ = os.RemoveAll(p.socket)
		}
		_ = os.RemoveAll(base)
	})
	return dir
}

// start starts or joins the server on the folder and stops it when the test ends.
func start(t *testing.T, dir string) *Server {
	s, err := Start(context.Background(), dir, fast...)
	if err != nil && strings.Contains(err.Error(), "dg needs PostgreSQL") {
		tb.SkipOrFail(t, err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
}

// made is a folder with a database that no server runs on.
func made(t *testing.T) string {
	dir := newFolder(t)
	stop(t, start(t, dir))
	return dir
}

// ended waits until no process of the folder's server lives.
func ended(t *testing.T, dir string) {
	f := dataDir{path: dataPath(dir)}
	require.Eventually(t, func() bool { return !f.running() }, 20*time.Second, 10*time.Millisecond,
		"PostgreSQL runs on %s", dir)
}

// stays fails if the server ends.
func stays(t *testing.T, s *Server) {
	require.Equal(t, "dg_app", tb.Query[string](t, s.URL(), `select current_user`))
}

// killed kills the server's process.
func killed(t *testing.T, dir string) {
	p, err := dataDir{path: dir}.readPIDFile()
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(p.id, syscall.SIGKILL))
}
