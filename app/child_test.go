package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// soak says whether the sizes are those of a long run (make soak) and not those of every run.
var soak = os.Getenv("DG_SOAK") == "1"

// sized picks a size: of every run, or of a soak.
func sized(usual, soaked int) int {
	if soak {
		return soaked
	}
	return usual
}

// binary is the real program, for the tests that kill it, measure it or run it as somebody else. It is built where
// builds go, without the race detector, which would be what is measured.
var binary = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs(filepath.Join("..", "bin", "dg-test"))
	if err != nil {
		return "", err
	}
	fresh := fmt.Sprintf("%s-%d", path, os.Getpid())
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", fresh, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build dg: %w\n%s", err, out)
	}
	return path, os.Rename(fresh, path) // whole for another run of the tests as well
})

// child is dg in a process of its own.
type child struct {
	*exec.Cmd
	t        *testing.T
	out, log buffer
	exited   chan struct{}
	url      string // where it serves
	ops      string // where its metrics are, once somebody asked: see opsAddress
}

// launch starts dg. It is killed when the test ends, if it still runs.
func launch(t *testing.T, args ...string) *child {
	t.Helper()
	return launchWith(t, nil, args...)
}

// launchWith starts dg, which stops without a delay; prepare may change how.
func launchWith(t *testing.T, prepare func(*exec.Cmd), args ...string) *child {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	c := &child{Cmd: exec.Command(program, args...), t: t, exited: make(chan struct{})}
	c.Env = append(cleanEnvironment(), "DG_SHUTDOWN_DELAY=0s")
	c.Stdout, c.Stderr = &c.out, &c.log
	if prepare != nil {
		prepare(c.Cmd)
	}
	require.NoError(t, c.Start())
	go func() { _ = c.Wait(); close(c.exited) }()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.exited
	})
	return c
}

// cleanEnvironment is this process's without the settings of dg.
func cleanEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DG_") {
			env = append(env, v)
		}
	}
	return env
}

// serveOn starts dg serve on the folder and waits until it serves.
func serveOn(t *testing.T, dir string, args ...string) *child {
	t.Helper()
	if slices.Contains(args, "--demo") {
		copyDemo(t, dir)
	}
	return launch(t, append([]string{"serve", "--data-dir", dir, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}, args...)...).untilServing()
}

// serveDatabase starts dg serve on a database of the test's own.
func serveDatabase(t *testing.T, db *fixtures.Database) *child {
	t.Helper()
	return launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", db.URL, "--migrate-database-url", db.OwnerURL).untilServing()
}

var servingLine = regexp.MustCompile(`(?m)^Serving on (\S+)$`)

func (c *child) untilServing() *child {
	c.t.Helper()
	until(c.t, time.Minute, "dg does not serve", func() bool {
		select {
		case <-c.exited:
			c.t.Fatalf("dg ended: %s", c.log.String())
		default:
		}
		line := servingLine.FindStringSubmatch(c.out.String())
		if line != nil {
			c.url = line[1]
		}
		return line != nil
	})
	return c
}

// status waits for the end of the process and returns its exit status, -1 if a signal ended it.
func (c *child) status(within time.Duration) int {
	c.t.Helper()
	select {
	case <-c.exited:
	case <-time.After(within):
		c.t.Fatalf("dg %v still runs after %s:\n%s", c.Args[1:], within, c.log.String())
	}
	return c.ProcessState.ExitCode()
}

// stop ends dg in order.
func (c *child) stop() {
	c.t.Helper()
	require.NoError(c.t, c.Process.Signal(syscall.SIGTERM))
	require.Zero(c.t, c.status(30*time.Second), "%s", c.log.String())
}

// kill is kill -9.
func (c *child) kill() {
	c.t.Helper()
	require.NoError(c.t, c.Process.Kill())
	<-c.exited
}

// memory reads a line of the process's /proc status, such as VmHWM, in bytes; 0 when it has ended.
func (c *child) memory(name string) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			require.NoError(c.t, err)
			return kb << 10
		}
	}
	return 0
}

// needsProc skips where the memory of a process cannot be seen.
func needsProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
}

// newFolder is a path for a data folder that PostgreSQL's user can reach, in memory where the system has that. When the
// test ends nothing may run on it any more.
func newFolder(t *testing.T) string {
	t.Helper()
	base, err := reachable()
	require.NoError(t, err)
	dir := filepath.Join(base, "data folder")
	t.Cleanup(func() { cleanFolder(t, base, dir) })
	return dir
}

func cleanFolder(t *testing.T, base, dir string) {
	nothingRuns(t, dir, 20*time.Second)
	// A killed server leaves its socket for the next start.
	if info, err := os.Stat(dir); err == nil {
		of := info.Sys().(*syscall.Stat_t)
		left, _ := filepath.Glob(fmt.Sprintf("/tmp/dg-*-%x-%x", of.Dev, of.Ino))
		for _, path := range left {
			_ = os.RemoveAll(path)
		}
	}
	_ = os.RemoveAll(base)
}

func reachable() (string, error) {
	parent := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base, err := os.MkdirTemp(parent, "dg-app-test-")
	if err != nil {
		return "", err
	}
	return base, os.Chmod(base, 0o755)
}

// processesOn lists the processes whose command line names the folder.
func processesOn(t *testing.T, dir string) []string {
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

// nothingRuns waits until no process of the folder is left, and returns how long that took.
func nothingRuns(t *testing.T, dir string, within time.Duration) time.Duration {
	t.Helper()
	begun := time.Now()
	until(t, within, "a process is left on "+dir, func() bool { return len(processesOn(t, dir)) == 0 })
	return time.Since(begun)
}

// until polls a condition; message says what is wrong as long as it does not hold.
func until(t *testing.T, within time.Duration, message string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !condition(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", within, message)
		}
	}
}

// freeAddress is a loopback address that nobody serves on.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	return ln.Addr().String()
}
