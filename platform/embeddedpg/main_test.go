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

// folderVariable, an environment variable, names the data folder of a helper process that a test can kill.
const folderVariable = "DG_EMBEDDEDPG_TEST_FOLDER"

// fastOptions make tests independent of the disk's speed.
var fastOptions = []string{"--fsync=off", "--shared_buffers=16MB"}

func TestMain(m *testing.M) {
	if dir := os.Getenv(folderVariable); dir != "" {
		useServer(dir)
		return
	}
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start PostgreSQL")
		return
	}
	os.Exit(m.Run())
}

// useServer prints "started" or the error. It stops when standard input closes.
func useServer(dir string) {
	s, err := Start(context.Background(), dir, fastOptions...)
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

// peer is another process that uses the data folder.
type peer struct {
	*exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
}

// startPeer starts another process on the folder with a command that prepare may change.
func startPeer(t *testing.T, dir string, prepare func(*exec.Cmd)) peer {
	program := tb.Must(os.Executable())(t)
	a := peer{Cmd: exec.CommandContext(context.Background(), program)}
	a.Env = append(os.Environ(), folderVariable+"="+dir)
	a.Stderr = os.Stderr
	a.stdin = tb.Must(a.StdinPipe())(t)
	out := tb.Must(a.StdoutPipe())(t)
	a.stdout = bufio.NewReader(out)
	if prepare != nil {
		prepare(a.Cmd)
	}
	require.NoError(t, a.Start())
	t.Cleanup(a.kill)
	return a
}

func (a peer) firstLine(t *testing.T) string {
	line, err := a.stdout.ReadString('\n')
	require.NoError(t, err, "it said nothing")
	return strings.TrimSpace(line)
}

func joinServer(t *testing.T, dir string, prepare func(*exec.Cmd)) peer {
	a := startPeer(t, dir, prepare)
	require.Equal(t, "started", a.firstLine(t))
	return a
}

func (a peer) leave(t *testing.T) {
	require.NoError(t, a.stdin.Close())
	require.NoError(t, a.Wait())
}

func (a peer) kill() {
	_ = a.Process.Kill()
	_ = a.Wait()
}

func newFolder(t *testing.T, subfolders ...string) string {
	t.Parallel()
	return newSecondFolder(t, subfolders...)
}

// newSecondFolder returns a data folder for PostgreSQL's user, in memory if possible. The cleanup kills a server on it.
func newSecondFolder(t *testing.T, subfolders ...string) string {
	parent := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base := tb.Must(os.MkdirTemp(parent, "dg-embeddedpg-test-"))(t)
	require.NoError(t, os.Chmod(base, 0o755))
	dir := filepath.Join(append([]string{base}, append(subfolders, "data folder")...)...)
	t.Cleanup(func() {
		f := dataDir{path: dataPath(dir)}
		if p, err := f.readPIDFile(); err == nil && f.isRunning() {
			_ = syscall.Kill(p.pid, syscall.SIGQUIT)
			waitUntilStopped(t, dir)
			_ = os.RemoveAll(p.socket)
		}
		_ = os.RemoveAll(base)
	})
	return dir
}

func startServer(t *testing.T, dir string) *Server {
	s, err := Start(context.Background(), dir, fastOptions...)
	if err != nil && strings.Contains(err.Error(), "dg needs PostgreSQL") {
		tb.SkipOrFail(t, err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { stopServer(t, s) })
	return s
}

func stopServer(t *testing.T, s *Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
}

func waitUntilStopped(t *testing.T, dir string) {
	f := dataDir{path: dataPath(dir)}
	require.Eventually(t, func() bool { return !f.isRunning() }, 20*time.Second, 10*time.Millisecond,
		"PostgreSQL runs on %s", dir)
}

func requireServing(t *testing.T, s *Server) {
	require.Equal(t, "dg_app", tb.Query[string](t, s.URL(), `select current_user`))
}

func killServer(t *testing.T, dir string) {
	require.NoError(t, syscall.Kill(tb.Must(dataDir{path: dir}.readPIDFile())(t).pid, syscall.SIGKILL))
}
