package embeddedpg

import (
	"bufio"
	"context"
	"dg/platform/testkit/tb"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// helperVariable makes the test binary use a data folder, as a process that a test can kill.
const helperVariable = "DG_EMBEDDEDPG_TEST_FOLDER"

// fast keeps the tests from waiting for the disk.
var fast = map[string]string{"fsync": "off", "shared_buffers": "16MB"}

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		helper(dir)
		return
	}
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start PostgreSQL")
		return
	}
	code := m.Run()
	if sharedDir != "" {
		if e, err := sharedOnce(); err == nil {
			_ = e.Stop(context.Background())
		}
	}
	for _, dir := range []string{sharedDir, originalDir} {
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// report is what a helper prints once it has the server, or has failed.
type report struct{ Socket, Error string }

// helper uses the folder until its standard input ends.
func helper(dir string) {
	e, err := Start(context.Background(), dir, Options{Settings: fast})
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(report{Error: err.Error()})
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(report{Socket: e.folder.socket})
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = e.Stop(context.Background())
}

// process is a running helper.
type process struct {
	*exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
}

// run starts a helper on the folder; prepare may change the command.
func run(t *testing.T, dir string, prepare func(*exec.Cmd)) *process {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), helperVariable+"="+dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	if prepare != nil {
		prepare(cmd)
	}
	require.NoError(t, cmd.Start())
	p := &process{Cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// report returns what the helper printed when it had the server, or failed.
func (p *process) report(t *testing.T) (r report) {
	t.Helper()
	line, err := p.stdout.ReadBytes('\n')
	require.NoError(t, err, "the helper said nothing")
	require.NoError(t, json.Unmarshal(line, &r))
	return r
}

// started waits until the helper has the server, and returns its socket.
func (p *process) started(t *testing.T) string {
	t.Helper()
	r := p.report(t)
	require.Empty(t, r.Error)
	return r.Socket
}

// answers fails unless the server has a database.
func answers(t *testing.T, e *Server) {
	t.Helper()
	require.NoError(t, execute(t.Context(), e.URL(), ""))
}

// newFolder is a path for a data folder that the server's user can reach, in memory if possible.
func newFolder(t *testing.T) string {
	t.Helper()
	base := reachableBase()
	dir := filepath.Join(base, "data folder")
	t.Cleanup(func() {
		removeSocket(dir)
		_ = os.RemoveAll(base)
	})
	return dir
}

// removeSocket removes the socket of a killed server, which the next start on the folder would use.
func removeSocket(dir string) {
	if info, err := os.Stat(dir); err == nil {
		stat := info.Sys().(*syscall.Stat_t)
		left, _ := filepath.Glob(fmt.Sprintf("/tmp/dg-*-%x-%x", stat.Dev, stat.Ino))
		for _, path := range left {
			_ = os.RemoveAll(path)
		}
	}
}

// initialised is a folder with a database that has been shut down: a copy, which is faster than
// initdb.
func initialised(t *testing.T) string {
	t.Helper()
	dir := newFolder(t)
	original, err := originalOnce()
	if err != nil {
		failStart(t, err)
	}
	require.NoError(t, os.Mkdir(dir, 0o755))
	copyTo(t, dir, filepath.Join(original, dataFolder))
	return dir
}

// copyTo copies files with their owners.
func copyTo(t *testing.T, dir string, paths ...string) {
	t.Helper()
	out, err := exec.Command("cp", slices.Concat([]string{"-a"}, paths, []string{dir})...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

var (
	originalDir  string
	originalOnce = sync.OnceValues(func() (string, error) {
		originalDir = reachableBase()
		dir := filepath.Join(originalDir, "d")
		e, err := Start(context.Background(), dir, Options{Settings: fast})
		if err != nil {
			return "", err
		}
		return dir, e.Stop(context.Background())
	})
)

func reachableBase() string {
	parent := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base, err := os.MkdirTemp(parent, "dg-embeddedpg-test-")
	if err == nil {
		err = os.Chmod(base, 0o755)
	}
	if err != nil {
		panic(err)
	}
	return base
}

// start starts or joins the server on the folder and stops it when the test ends.
func start(t *testing.T, dir string, opts Options) *Server {
	t.Helper()
	if opts.Settings == nil {
		opts.Settings = fast
	}
	e, err := Start(context.Background(), dir, opts)
	if err != nil {
		failStart(t, err)
	}
	t.Cleanup(func() { stop(t, e) })
	return e
}

// failStart ends a test for which no server started.
func failStart(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(err.Error(), "dg needs PostgreSQL") {
		tb.Missing(t, err)
	}
	t.Fatal(err)
}

func stop(t *testing.T, e *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, e.Stop(ctx))
}

var (
	sharedDir  string
	sharedOnce = sync.OnceValues(func() (*Server, error) {
		sharedDir = reachableBase()
		return Start(context.Background(), filepath.Join(sharedDir, "d"), Options{Settings: fast})
	})
)

// sharedServer is one server for the tests that only need a database. It ends with this process.
func sharedServer(t *testing.T) *Server {
	t.Helper()
	e, err := sharedOnce()
	if err != nil {
		failStart(t, err)
	}
	return e
}

// query reads one value.
func query[T any](t *testing.T, url, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var value T
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&value))
	return value
}

// processesOn lists the processes whose command line names the folder.
func processesOn(t *testing.T, dir string) []string {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,args=").Output()
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, dir) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// nothingRuns waits until no process of the folder's server is left.
func nothingRuns(t *testing.T, dir string) {
	t.Helper()
	eventually(t, fmt.Sprintf("a process is left on %s", dir), func() bool {
		return len(processesOn(t, dir)) == 0
	})
	// A child that another test is starting holds this process's files until it runs its program.
	eventually(t, "the server's lock is still held", func() bool {
		lock, err := folder{path: dir}.openLock()
		if err != nil {
			return false
		}
		defer lock.Close()
		return tryLock(lock)
	})
}

// eventually waits for a condition; message says what is wrong until it holds.
func eventually(t *testing.T, message string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, 20*time.Second, 10*time.Millisecond, message)
}

// mentions fails unless the error contains every one of the words.
func mentions(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		require.ErrorContains(t, err, word)
	}
}

// asUser makes a helper run as the user, from a copy of this program that it can reach.
func asUser(t *testing.T, cred *syscall.Credential, base string) func(*exec.Cmd) {
	t.Helper()
	return func(cmd *exec.Cmd) {
		program := filepath.Join(base, "helper")
		// In another process: a child that another test is starting would hold the file open for
		// writing, and such a program cannot be run.
		require.NoError(t, exec.Command("install", cmd.Path, program).Run())
		cmd.Path = program
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
		cmd.Env = append(cmd.Env, "HOME="+base)
	}
}
