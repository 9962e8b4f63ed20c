package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// command is a program of ours: it is asked to end with the context, and killed when it does not.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DG_") { // settings of another database
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// dg runs a command of dg on the data folder to its end.
func (b *bench) dg(ctx context.Context, stdin io.Reader, args ...string) error {
	cmd := command(ctx, b.binary(), append([]string{args[0], "--data-dir", b.data()}, args[1:]...)...)
	var failed bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &failed
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("dg %s: %w\n%s", args[0], err, failed.String())
	}
	return nil
}

// server is a child that serves HTTP.
type server struct {
	cmd  *exec.Cmd
	addr string // host:port
	log  *os.File
	done chan struct{} // closed when it has ended
	err  error         // how
}

// serve starts `dg serve`, with its log in a file as a supervisor would keep it.
func (b *bench) serve(ctx context.Context) (*server, error) {
	log, err := os.Create(filepath.Join(b.folder, "serve.log"))
	if err != nil {
		return nil, err
	}
	cmd := command(ctx, b.binary(), "serve", "--data-dir", b.data(), "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
	cmd.Stderr = log
	s, err := startServer(cmd, log)
	if err != nil {
		return nil, fmt.Errorf("dg serve did not start, see serve.log beside the data: %w", err)
	}
	b.serving = true
	return s, nil
}

// startServer starts a child that prints "Serving on http://host:port".
func startServer(cmd *exec.Cmd, log *os.File) (*server, error) {
	s := &server{cmd: cmd, log: log, done: make(chan struct{})}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	greeting, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		s.err = cmd.Wait()
		close(s.done)
	}()
	_, addr, found := strings.Cut(strings.TrimSpace(greeting), "http://")
	if err != nil || !found {
		return nil, errors.Join(err, s.stop())
	}
	s.addr = addr
	return s, nil
}

// stop asks the child to end and waits for it.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-s.done:
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	if s.log != nil {
		s.log.Close()
	}
	if state := s.cmd.ProcessState; state != nil && state.Success() {
		return nil // a context that ended is no failure of a child that stopped when asked
	}
	return s.err
}

// stopServer ends dg serve and keeps its peak.
func (b *bench) stopServer() error {
	b.keepPeak()
	s := b.server
	b.server = nil
	return s.stop()
}

// restart gives the sections that measure memory a server that has done nothing yet.
func (b *bench) restart(ctx context.Context) (err error) {
	if err := b.stopServer(); err != nil {
		return err
	}
	b.server, err = b.serve(ctx)
	return err
}

// keepPeak remembers the most memory that the server had; the kernel's own mark is reset between.
func (b *bench) keepPeak() {
	if high, err := b.server.memory("VmHWM"); err == nil {
		b.peak = max(b.peak, high)
	}
}

// resetPeak lets the kernel's mark begin at what the server has now, which it returns.
func (b *bench) resetPeak() (now int64, err error) {
	b.keepPeak()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", b.server.cmd.Process.Pid), []byte("5"), 0); err != nil {
		return 0, err
	}
	return b.server.memory("VmRSS")
}

// memory reads a figure of the child from the kernel, in bytes. Only Linux has it.
func (s *server) memory(field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, field+":"); found {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("the kernel does not tell %s", field)
}
