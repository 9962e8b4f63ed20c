package pgtest

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"

	"dg/platform/embeddedpg"
)

// keeperVariable makes a test program the keeper of the shared server's folder.
const keeperVariable = "DG_PGTEST_KEEPER"

// init spares test programs a TestMain.
//
//nolint:gochecknoinits // see above
func init() {
	if dir := os.Getenv(keeperVariable); dir != "" {
		keep(dir)
		os.Exit(0)
	}
}

// keep waits until standard input ends, which the end of the test process closes. It then joins and
// leaves the server, which stops with its last user.
func keep(dir string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if _, err := embeddedpg.RunningURL(dir); err != nil {
		return
	}
	if server, err := embeddedpg.Start(ctx, dir, embeddedpg.Options{}); err == nil {
		_ = server.Stop(ctx)
	}
}

// startKeeper starts a keeper. The caller keeps its input, which closes with this process, also if
// it is killed.
func startKeeper(dir string) (input io.Closer, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	keeper := exec.CommandContext(context.Background(), program)
	keeper.Env = append(os.Environ(), keeperVariable+"="+dir)
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C does not reach it
	if input, err = keeper.StdinPipe(); err != nil {
		return nil, err
	}
	return input, keeper.Start()
}
