package embeddedpg

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// postmaster is the process id that the server has left in its data folder.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, dataFolder, "postmaster.pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.SplitN(string(text), "\n", 2)[0])
	require.NoError(t, err)
	return pid
}

func kill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestKillingDgLeavesNoPostgreSQL(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	for _, ended := range []syscall.Signal{
		syscall.SIGKILL, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGINT,
	} {
		if signal.Ignored(ended) { // under nohup; the helper inherits that
			t.Logf("%s is ignored here", ended)
			continue
		}
		p := run(t, dir, func(cmd *exec.Cmd) { cmd.Stderr = nil }) // SIGQUIT prints every goroutine
		p.started(t)
		if len(processesOn(t, dir)) == 0 {
			t.Fatal("no server is there to be left")
		}
		require.NoError(t, p.Process.Signal(ended))
		// ends when no process has the helper's output open: none inherited it
		_, _ = io.Copy(io.Discard, p.stdout)
		_ = p.Wait()
		nothingRuns(t, dir)
		log, err := os.ReadFile(filepath.Join(dir, logFile))
		require.NoError(t, err)
		require.Contains(t, string(log), "database system is shut down")
		require.NotContains(t, string(log), "not properly shut down")
	}
}

func TestKillingTheWholeProcessGroupLeavesNoPostgreSQL(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} })
	p.started(t)
	if group, err := syscall.Getpgid(postmaster(t, dir)); err != nil || group == p.Process.Pid {
		t.Errorf("the server is in dg's process group (%v): Ctrl-C would reach it", err)
	}
	require.NoError(t, syscall.Kill(-p.Process.Pid, syscall.SIGKILL))
	_ = p.Wait()
	nothingRuns(t, dir)
}

func TestServerOutlivesItsKilledLauncher(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, nil)
	p.started(t)
	e := start(t, dir, Options{})
	p.kill()
	answers(t, e)
	stop(t, e)
	nothingRuns(t, dir)
}

func TestInterruptedInitdbIsRepeated(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	p := run(t, dir, nil)
	eventually(t, "initdb never began", func() bool {
		return exists(filepath.Join(dir, newDataFolder, "PG_VERSION"))
	})
	p.kill()
	if exists(filepath.Join(dir, dataFolder)) {
		t.Fatal("initdb was too fast for this test")
	}
	// At once: what is left of initdb is waited for, not worked beside.
	e := start(t, dir, Options{})
	answers(t, e)
	if exists(filepath.Join(dir, newDataFolder)) {
		t.Error("the half-made folder is left")
	}
}

func TestStartWaitsForAKilledServer(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, nil)
	p.started(t)
	p.kill()
	e := start(t, dir, Options{}) // while the old server shuts down
	answers(t, e)
}

// The shells that end the server are two processes: losing the one that launched it does no harm.
func TestServerEndsWithoutItsSupervisor(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, nil)
	p.started(t)
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(postmaster(t, dir))).Output()
	require.NoError(t, err)
	shell, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	kill(t, shell)
	p.kill()
	nothingRuns(t, dir)
}

// A process that joins between the last user's leave and the server's stop is served. An rm that
// waits holds the supervisor in between.
func TestServerStaysForAProcessThatJoinsAtItsEnd(t *testing.T) {
	dir := initialised(t)
	signs := filepath.Join(filepath.Dir(dir), "signs")
	require.NoError(t, os.Mkdir(signs, 0o755))
	require.NoError(t, os.Chmod(signs, 0o777)) // the supervisor is another user
	left := filepath.Join(signs, "left")
	joined := filepath.Join(signs, "joined")
	program(t, filepath.Join(signs, "rm"),
		`touch '`+left+`'; until [ -e '`+joined+`' ]; do sleep 0.01; done; exec /bin/rm "$@"`)
	t.Setenv("PATH", signs+":"+os.Getenv("PATH"))

	first := start(t, dir, Options{})
	require.NoError(t, first.lease.Close())
	eventually(t, "the supervisor does not see that the last user has left", func() bool {
		return exists(left)
	})
	late := start(t, dir, Options{})
	require.NoError(t, os.WriteFile(joined, nil, 0o600))
	eventually(t, "the name is still there", func() bool {
		return !exists(filepath.Join(dir, usersPipe))
	})
	select {
	case <-first.Done():
		t.Fatal("the server was ended under who joined")
	case <-time.After(300 * time.Millisecond):
	}
	answers(t, late)
	stop(t, late)
	nothingRuns(t, dir)
}

// A power cut leaves every file of the server as it was, and afterwards the number in a lock file
// is often another's. Neither the socket's lock nor the data's may keep a server away where our own
// lock proves that none lives.
func TestLocksLeftByAPowerCutAreRemoved(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	for i, content := range []func(pid int) string{
		func(pid int) string { return strconv.Itoa(pid) + "\n" },
		func(pid int) string {
			return fmt.Sprintf("%d\n%s/data\n1795000000\n5432\n/nowhere\n", pid, dir)
		},
		func(int) string { return "" }, // cut off before it was written
		func(int) string { return strings.Repeat("\x00", 40) },
		func(pid int) string { return strconv.Itoa(-pid) + "\n" },
		func(int) string { return "what is this\n" },
	} {
		p := run(t, dir, nil)
		socket := p.started(t)
		f, err := openFolder(t.Context(), dir, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		killAll(t, dir, p)
		sleeper := f.command(t.Context(), "sleep", "60") // alive, and the server's user's
		require.NoError(t, sleeper.Start())
		for _, path := range []string{
			filepath.Join(socket, ".s.PGSQL.5432.lock"),
			filepath.Join(dir, dataFolder, "postmaster.pid"),
		} {
			require.NoError(t, os.WriteFile(path, []byte(content(sleeper.Process.Pid)), 0o600))
		}
		e, err := Start(context.Background(), dir, Options{Settings: fast})
		if err != nil {
			t.Errorf("after power cut %d: %v", i+1, err)
		} else {
			answers(t, e)
			if e.folder.socket != socket {
				t.Errorf("the socket is in %s, and %s is left", e.folder.socket, socket)
			}
			stop(t, e)
		}
		require.NoError(t, sleeper.Process.Kill())
		_ = sleeper.Wait()
		nothingRuns(t, dir)
	}
}

// killAll is kill -9 of everything on the folder: the helper, the shells and the server.
func killAll(t *testing.T, dir string, p *process) {
	t.Helper()
	for _, line := range processesOn(t, dir) {
		pid, err := strconv.Atoi(strings.Fields(line)[0])
		require.NoError(t, err)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	p.kill()
	nothingRuns(t, dir)
}

// The socket's folder of a copied data folder is the original's: a server on the copy must not take
// it.
func TestCopiedFolderHasItsOwnSocket(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	original := start(t, dir, Options{})
	require.NoError(t, executeOn(t, original.OwnerURL(), `create table original (id int)`))
	copied := newFolder(t)
	require.NoError(t, os.Mkdir(copied, 0o755))
	source := initialised(t)
	if out, err := exec.Command("cp", "-a", filepath.Join(source, dataFolder),
		filepath.Join(dir, runFolder), copied).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	second := start(t, copied, Options{})
	if second.folder.socket == original.folder.socket {
		t.Fatal("both have one socket")
	}
	require.NoError(t, executeOn(t, original.OwnerURL(), `table original`))
	mentions(t, executeOn(t, second.OwnerURL(), `table original`), "does not exist")
}

// Another user may have made the folder that the socket would be in.
func TestSocketFolderOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := initialised(t)
	f, err := openFolder(t.Context(), dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(f.socket, 0o755))
	require.NoError(t, os.Chown(f.socket, 12345, 12345))
	t.Cleanup(func() { _ = os.Remove(f.socket) })
	_, err = Start(context.Background(), dir, Options{Settings: fast})
	mentions(t, err, f.socket, "remove it")
}
