package postgres

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// postmaster is the process id that the server has left in its data folder.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, dataFolder, "postmaster.pid"))
	must(t, err)
	pid, err := strconv.Atoi(strings.SplitN(string(text), "\n", 2)[0])
	must(t, err)
	return pid
}

func kill(t *testing.T, pid int) {
	t.Helper()
	must(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestKillingDgLeavesNoPostgreSQL(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGINT} {
		p := run(t, dir, func(cmd *exec.Cmd) { cmd.Stderr = nil }) // SIGQUIT prints every goroutine
		if r := p.started(t); r.Error != "" {
			t.Fatal(r.Error)
		}
		if len(processesOn(t, dir)) == 0 {
			t.Fatal("no server is there to be left")
		}
		must(t, p.Process.Signal(signal))
		_, _ = io.Copy(io.Discard, p.stdout) // ends when nobody has the helper's output open: nothing of it was inherited
		_ = p.Wait()
		nothingRuns(t, dir)
	}
	log, err := os.ReadFile(filepath.Join(dir, logFile))
	must(t, err)
	if n := strings.Count(string(log), "database system is shut down"); n < 5 {
		t.Errorf("%d of 5 servers shut down in order", n)
	}
	if strings.Contains(string(log), "not properly shut down") {
		t.Error("a server was not shut down in order")
	}
}

func TestKillingTheWholeProcessGroupLeavesNoPostgreSQL(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} })
	if r := p.started(t); r.Error != "" {
		t.Fatal(r.Error)
	}
	if group, err := syscall.Getpgid(postmaster(t, dir)); err != nil || group == p.Process.Pid {
		t.Errorf("the server is in dg's process group (%v): Ctrl-C would reach it", err)
	}
	must(t, syscall.Kill(-p.Process.Pid, syscall.SIGKILL))
	_ = p.Wait()
	nothingRuns(t, dir)
}

func TestAKilledLauncherDoesNotTakeTheServerFromOthers(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, nil)
	if r := p.started(t); r.Error != "" {
		t.Fatal(r.Error)
	}
	e := start(t, dir, EmbeddedOptions{})
	must(t, p.Process.Kill())
	_ = p.Wait()
	if query[int](t, e.URL(), `select 1`) != 1 {
		t.Error("the server is gone")
	}
	stop(t, e)
	nothingRuns(t, dir)
}

func TestAnInterruptedInitdbLeavesNothingBroken(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	p := run(t, dir, nil)
	eventually(t, "initdb never began", func() bool { return exists(filepath.Join(dir, newCluster, "PG_VERSION")) })
	must(t, p.Process.Kill())
	_ = p.Wait()
	if exists(filepath.Join(dir, dataFolder)) {
		t.Fatal("initdb was too fast for this test")
	}
	// At once: what is left of initdb is waited for, not worked beside.
	e := start(t, dir, EmbeddedOptions{})
	if query[int](t, e.URL(), `select 1`) != 1 {
		t.Error("no database")
	}
	if exists(filepath.Join(dir, newCluster)) {
		t.Error("the half-made folder is left")
	}
}

func TestStartingAtOnceAfterAKill(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "DG_POSTGRES_TEST_SERVE=1") })
	if r := p.started(t); r.Error != "" {
		t.Fatal(r.Error)
	}
	must(t, p.Process.Kill())
	_ = p.Wait()
	e := start(t, dir, EmbeddedOptions{Exclusive: true}) // while the old server shuts down
	if query[int](t, e.URL(), `select 1`) != 1 {
		t.Error("no database")
	}
}

// A crash leaves postmaster.pid; in a container its number often belongs to another process of the same user by then.
func TestAStalePIDFileOfALivingProcess(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	e := start(t, dir, EmbeddedOptions{})
	kill(t, postmaster(t, dir))
	stop(t, e)
	nothingRuns(t, dir)

	f := e.folder
	sleeper := f.command(t.Context(), "sleep", "60")
	must(t, sleeper.Start())
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	path := filepath.Join(dir, dataFolder, "postmaster.pid")
	text, err := os.ReadFile(path)
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "\n")
	must(t, os.WriteFile(path, []byte(strconv.Itoa(sleeper.Process.Pid)+"\n"+rest), 0o600))

	again := start(t, dir, EmbeddedOptions{})
	if query[int](t, again.URL(), `select 1`) != 1 {
		t.Error("no database")
	}
}

// The shells that end the server are two processes: losing the one that launched it does no harm.
func TestLosingTheSupervisorsShell(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	p := run(t, dir, nil)
	if r := p.started(t); r.Error != "" {
		t.Fatal(r.Error)
	}
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(postmaster(t, dir))).Output()
	must(t, err)
	shell, err := strconv.Atoi(strings.TrimSpace(string(out)))
	must(t, err)
	kill(t, shell)
	must(t, p.Process.Kill())
	_ = p.Wait()
	nothingRuns(t, dir)
}

// Who joins between the moment when the last user has left and the moment when the server is told to end is served:
// the supervisor is held in between, by an rm that waits.
func TestJoiningAServerAtTheLastMoment(t *testing.T) {
	dir := initialised(t)
	signs := filepath.Join(filepath.Dir(dir), "signs")
	must(t, os.Mkdir(signs, 0o755))
	must(t, os.Chmod(signs, 0o777)) // the supervisor is another user
	left, joined := filepath.Join(signs, "left"), filepath.Join(signs, "joined")
	program(t, filepath.Join(signs, "rm"), `touch '`+left+`'; until [ -e '`+joined+`' ]; do sleep 0.01; done; exec /bin/rm "$@"`)
	t.Setenv("PATH", signs+":"+os.Getenv("PATH"))

	first := start(t, dir, EmbeddedOptions{})
	must(t, first.hold.Close())
	eventually(t, "the supervisor does not see that the last user has left", func() bool { return exists(left) })
	late := start(t, dir, EmbeddedOptions{})
	must(t, os.WriteFile(joined, nil, 0o600))
	eventually(t, "the name is still there", func() bool { return !exists(filepath.Join(dir, aliveFIFO)) })
	select {
	case <-first.Done():
		t.Fatal("the server was ended under who joined")
	case <-time.After(300 * time.Millisecond):
	}
	if query[int](t, late.URL(), `select 1`) != 1 {
		t.Error("no database")
	}
	stop(t, late)
	nothingRuns(t, dir)
}
