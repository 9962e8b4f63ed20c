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

// dg is a command of dg on the database.
func (b *bench) dg(ctx context.Context, args ...string) *exec.Cmd {
	return command(ctx, b.binary(), append(args, "--database-url", b.embedded.URL(),
		"--migrate-database-url", b.embedded.OwnerURL())...)
}

// run runs a command of dg to its end.
func (b *bench) run(ctx context.Context, stdin io.Reader, args ...string) error {
	cmd := b.dg(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stdin = stdin
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("dg %s: %w\n%s", args[0], err, stderr.String())
	}
	return nil
}

// server is `dg serve` as a child process.
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
	s := &server{cmd: b.dg(ctx, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")}
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	greeting, err := bufio.NewReader(out).ReadString('\n') // Serving on http://host:port
	_, addr, found := strings.Cut(strings.TrimSpace(greeting), "http://")
	if err != nil || !found {
		return nil, errors.Join(fmt.Errorf("dg serve did not start, see %s", log.Name()), err,
			s.stop())
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

// peakMemory reads the most memory that the child had, in bytes. Only Linux has it.
func (s *server) peakMemory() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "\nVmHWM:")
	var kilobytes float64
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes * 1024, err
}
