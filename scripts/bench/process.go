package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// dgCommand returns a command of dg on the benchmark's database. The end of ctx sends SIGTERM.
func (b *bench) dgCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.binary, append(args, "--database-url", b.embedded.URL(),
		"--migrate-database-url", b.embedded.OwnerURL())...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout // then dg is killed
	cmd.Stderr = os.Stderr
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "DG_") // the environment may name another database
	})
	return cmd
}

// server is `dg serve` as a child process.
type server struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	addr   string // host and port
}

// serve starts `dg serve`, which logs to serve.log, and waits until it serves. It returns an error
// if dg ends first.
func (b *bench) serve(ctx context.Context) (*server, error) {
	logFile, err := os.Create(filepath.Join(b.folder, "serve.log"))
	if err != nil {
		return nil, err
	}
	defer logFile.Close() // the child has its own descriptor
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &server{cancel: cancel}
	s.cmd = b.dgCommand(ctx, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
	s.cmd.Stderr = logFile
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n') // the line "Serving on http://host:port"
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dg serve did not start, see %s", logFile.Name()), s.stop())
	}
	_, s.addr, _ = strings.Cut(strings.TrimSpace(line), "http://")
	return s, nil
}

// stop ends dg serve with SIGTERM and waits for it. It returns nil if the process exits cleanly.
func (s *server) stop() error {
	s.cancel()
	err := s.cmd.Wait()
	if s.cmd.ProcessState.Success() {
		return nil // Wait returns the context's error even after a clean exit
	}
	return err
}
