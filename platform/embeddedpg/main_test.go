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

// folderVariable is the environment variable that gives a peer process its data folder.
const folderVariable = "DG_EMBEDDEDPG_TEST_FOLDER"

// fastOptions spare the disk and the memory of the machine.
var fastOptions = []string{"--fsync=off", "--shared_buffers=16MB"}

func TestMain(m *testing.M) {
	_ = os.Setenv("PGPORT", "1") // dg ignores PGPORT, which may be another server's
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

// useServer is the main function of a peer. It prints "started" or the error, and stops when standard input closes.
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

// startPeer starts a peer on the folder. prepare may change its command before the start.
func startPeer(t *testing.T, dir string, prepare func(*exec.Cmd)) peer {
	program := tb.Must(os.Executable())(t)
	p := peer{Cmd: exec.CommandContext(context.Background(), program)}
	p.Env = append(os.Environ(), folderVariable+"="+dir)
	p.Stderr = os.Stderr
	p.stdin = tb.Must(p.StdinPipe())(t)
	p.stdout = bufio.NewReader(tb.Must(p.StdoutPipe())(t))
	if prepare != nil {
		prepare(p.Cmd)
	}
	require.NoError(t, p.Start())
	t.Cleanup(p.kill)
	return p
}

func (p peer) firstLine(t *testing.T) string {
	line, err := p.stdout.ReadString('\n')
	require.NoError(t, err, "it said nothing")
	return strings.TrimSpace(line)
}

func joinServer(t *testing.T, dir string, prepare func(*exec.Cmd)) peer {
	p := startPeer(t, dir, prepare)
	require.Equal(t, "started", p.firstLine(t))
	return p
}

func (p peer) leave(t *testing.T) {
	require.NoError(t, p.stdin.Close())
	require.NoError(t, p.Wait())
}

func (p peer) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

func newParallelFolder(t *testing.T, subfolders ...string) string {
	t.Parallel()
	return newFolder(t, subfolders...)
}

// newFolder returns the path of a new data folder, in memory if possible. The cleanup kills a server on it.
func newFolder(t *testing.T, subfolders ...string) string {
	parent := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base := tb.Must(os.MkdirTemp(parent, "dg-embeddedpg-test-"))(t)
	require.NoError(t, os.Chmod(base, 0o755))
	dir := filepath.Join(append([]string{base}, append(subfolders, "data folder")...)...)
	t.Cleanup(func() {
		d := dataDir{path: dataPath(dir)}
		if p, err := d.readPIDFile(); err == nil && d.isRunning() {
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
	d := dataDir{path: dataPath(dir)}
	require.Eventually(t, func() bool { return !d.isRunning() }, 20*time.Second, 10*time.Millisecond,
		"PostgreSQL still runs on %s", dir)
}

func requireServing(t *testing.T, s *Server) {
	require.Equal(t, "dg_app", tb.Query[string](t, s.URL(), `select current_user`))
}

func killServer(t *testing.T, dir string) {
	require.NoError(t, syscall.Kill(tb.Must(dataDir{path: dir}.readPIDFile())(t).pid, syscall.SIGKILL))
}
