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

// postmaster is the server's process id, from its data folder.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, dataFolder, "postmaster.pid"))
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
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
		require.NotEmpty(t, processesOn(t, dir))
		require.NoError(t, p.Process.Signal(ended))
		_, _ = io.Copy(io.Discard, p.stdout) // ends, because no process inherited the output
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
	group, err := syscall.Getpgid(postmaster(t, dir))
	require.NoError(t, err)
	require.NotEqual(t, p.Process.Pid, group, "Ctrl-C would reach the server")
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
	require.NoDirExists(t, filepath.Join(dir, dataFolder), "initdb was too fast for this test")
	answers(t, start(t, dir, Options{})) // waits for the end of the first initdb
	require.NoDirExists(t, filepath.Join(dir, newDataFolder))
}

func TestStartWaitsForAKilledServer(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, nil)
	p.started(t)
	p.kill()
	answers(t, start(t, dir, Options{})) // while the old server shuts down
}

// The supervisor is two shells. The server ends without the one that launched it.
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

// A process that joins after the last user has left, and before the server stops, is served. An rm
// that waits holds the supervisor at that point.
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
	eventually(t, "the supervisor saw no end", func() bool { return exists(left) })
	late := start(t, dir, Options{})
	require.NoError(t, os.WriteFile(joined, nil, 0o600))
	eventually(t, "the name is still there", func() bool {
		return !exists(filepath.Join(dir, usersPipe))
	})
	require.Never(t, func() bool {
		select {
		case <-first.Done():
			return true
		default:
			return false
		}
	}, 300*time.Millisecond, 10*time.Millisecond, "the server ended under its new user")
	answers(t, late)
	stop(t, late)
	nothingRuns(t, dir)
}

// A power cut leaves lock files, whose process id often belongs to another process afterwards. They
// do not keep the server from starting once our own lock proves that none lives.
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
		func(int) string { return "no number\n" },
	} {
		p := run(t, dir, nil)
		socket := p.started(t)
		f, err := openFolder(t.Context(), dir, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		killAll(t, dir, p)
		sleeper := f.command(t.Context(), "sleep", "60") // a living process of the server's user
		require.NoError(t, sleeper.Start())
		for _, path := range []string{
			filepath.Join(socket, ".s.PGSQL.5432.lock"),
			filepath.Join(dir, dataFolder, "postmaster.pid"),
		} {
			require.NoError(t, os.WriteFile(path, []byte(content(sleeper.Process.Pid)), 0o600))
		}
		e, err := Start(context.Background(), dir, Options{Settings: fast})
		require.NoError(t, err, "power cut %d", i)
		answers(t, e)
		require.Equal(t, socket, e.folder.socket)
		stop(t, e)
		require.NoError(t, sleeper.Process.Kill())
		_ = sleeper.Wait()
		nothingRuns(t, dir)
	}
}

// killAll kills all processes on the folder: the helper, the shells and the server.
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

// A copied data folder names the original's socket. A server on the copy must not take it.
func TestCopiedFolderHasItsOwnSocket(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	original := start(t, dir, Options{})
	require.NoError(t, execute(t.Context(), original.OwnerURL(), `create table original (id int)`))
	copied := initialised(t)
	copyTo(t, copied, filepath.Join(dir, runFolder))
	second := start(t, copied, Options{})
	require.NotEqual(t, original.folder.socket, second.folder.socket)
	require.NoError(t, execute(t.Context(), original.OwnerURL(), `table original`))
	mentions(t, execute(t.Context(), second.OwnerURL(), `table original`), "does not exist")
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
