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
	"slices"
	"strings"
	"syscall"
	"time"
)

// command is a child process: it is asked to end with the context, and killed when it does not.
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

// database says where dg finds the database. Another version of dg may not share an embedded server
// with this one.
func (b *bench) database() []string {
	if b.opts.DG != "" {
		return []string{
			"--database-url", b.embedded.URL(), "--migrate-database-url", b.embedded.OwnerURL(),
		}
	}
	return []string{"--data-dir", b.dataDir()}
}

// dg runs a command of dg on the database to its end.
func (b *bench) dg(ctx context.Context, stdin io.Reader, args ...string) error {
	cmd := command(ctx, b.binary(), slices.Concat(args[:1], b.database(), args[1:])...)
	var stderr bytes.Buffer
	cmd.Stdin = stdin
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("dg %s: %w\n%s", args[0], err, stderr.String())
	}
	return nil
}

// server is a child process that serves HTTP.
type server struct {
	cmd  *exec.Cmd
	addr string // host:port
}

// serve starts `dg serve` with its log in a file.
func (b *bench) serve(ctx context.Context) (*server, error) {
	log, err := os.Create(filepath.Join(b.folder, "serve.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the child has its own
	cmd := command(ctx, b.binary(),
		slices.Concat([]string{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"},
			b.database())...)
	cmd.Stderr = log
	s, err := startServer(cmd)
	if err != nil {
		return nil, fmt.Errorf("dg serve did not start, see %s: %w", log.Name(), err)
	}
	return s, nil
}

// startServer starts a child that prints "Serving on http://host:port".
func startServer(cmd *exec.Cmd) (*server, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	greeting, err := bufio.NewReader(out).ReadString('\n')
	s := &server{cmd: cmd}
	_, addr, found := strings.Cut(strings.TrimSpace(greeting), "http://")
	if err != nil || !found {
		return nil, errors.Join(err, s.stop())
	}
	s.addr = addr
	return s, nil
}

// stop asks the child to end, kills it when it does not, and waits.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	kill := time.AfterFunc(stopTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	err := s.cmd.Wait()
	if s.cmd.ProcessState.Success() {
		return nil // the context may have ended first
	}
	return err
}

// stopServer stops dg serve and keeps its peak memory.
func (b *bench) stopServer() error {
	b.keepPeak()
	s := b.server
	b.server = nil
	return s.stop()
}

// keepPeak remembers the most memory that dg had.
func (b *bench) keepPeak() {
	if high, err := b.server.memory("VmHWM"); err == nil {
		b.report.peak = max(b.report.peak, high)
	}
}

// memory reads a figure of the child from the kernel, in bytes. Only Linux has it.
func (s *server) memory(field string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "\n"+field+":")
	var kilobytes float64
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes * 1024, err
}
