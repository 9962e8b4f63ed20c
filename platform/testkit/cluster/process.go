package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Process is a running program of the cluster.
type Process struct {
	t      testing.TB
	cmd    *exec.Cmd
	log    string // the file
	exited chan struct{}
}

// start starts a program whose output goes to a log in its folder.
func (f folder) start(
	server string, prepare func(*exec.Cmd), program string, args ...string,
) *Process {
	f.t.Helper()
	p := &Process{t: f.t, cmd: f.command(server, program, args...), exited: make(chan struct{})}
	p.log = filepath.Join(p.cmd.Dir, "log")
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(f.t, err)
	defer log.Close() // the child has its own
	p.cmd.Stdout = log
	p.cmd.Stderr = log
	if prepare != nil {
		prepare(p.cmd)
	}
	require.NoError(f.t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	return p
}

// Pid is its process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Log is what it has printed.
func (p *Process) Log() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// Running reports whether it has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Signal sends a signal to it and its children.
func (p *Process) Signal(s syscall.Signal) {
	for _, pid := range append(children(p.cmd.Process.Pid), p.cmd.Process.Pid) {
		_ = syscall.Kill(pid, s) // it may have ended
	}
}

// Kill is kill -9 of it and its children.
func (p *Process) Kill() {
	p.t.Helper()
	orphans := children(p.cmd.Process.Pid) // those that are frozen do not end with their parent
	_ = p.cmd.Process.Kill()
	for _, pid := range orphans {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	p.wait(10 * time.Second)
}

// Stop ends it in order by the signal that it wants for that.
func (p *Process) Stop(s syscall.Signal) {
	p.t.Helper()
	_ = p.cmd.Process.Signal(s)
	p.wait(30 * time.Second)
}

func (p *Process) wait(within time.Duration) {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(within):
		p.t.Fatalf("cluster: %s still runs after %s\n%s", p.cmd.Path, within, p.Log())
	}
}

// stat returns the fields of /proc/PID/stat from the state on, or zeros of a process that has
// ended. The fields before it may contain spaces.
func stat(pid int) []int {
	fields := make([]int, 50)
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	for i, field := range strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) {
		if i < len(fields) {
			fields[i], _ = strconv.Atoi(field)
		}
	}
	return fields
}

// children returns the processes whose parent is pid.
func children(pid int) (found []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil && stat(child)[1] == pid {
			found = append(found, child)
		}
	}
	return found
}

// until waits for a condition; message says what is wrong until it holds.
func until(t testing.TB, within time.Duration, message func() string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !condition(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("cluster: after %s: %s", within, message())
		}
	}
}
