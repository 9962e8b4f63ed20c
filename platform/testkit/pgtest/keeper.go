package pgtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"dg/platform/embeddedpg"
)

// keeperVariable makes a test program the keeper of the shared server's folder.
const keeperVariable = "DG_PGTEST_KEEPER"

// kept is what a keeper says: the server's URLs, or an error.
type kept struct {
	URL, OwnerURL, Error string

	input io.WriteCloser // unreferenced it would be closed, and end the keeper
}

// init spares test programs a TestMain.
//
//nolint:gochecknoinits // see above
func init() {
	if dir := os.Getenv(keeperVariable); dir != "" {
		keep(dir)
		os.Exit(0)
	}
}

// keep uses the server until standard input ends, which the end of the test process closes.
func keep(dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	server, err := embeddedpg.Start(ctx, dir,
		embeddedpg.Options{Create: true, Settings: settings})
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(kept{Error: err.Error()})
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(kept{URL: server.URL(), OwnerURL: server.OwnerURL()})
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Stop(context.Background())
}

// startKeeper starts a keeper, which ends the use of the server with this process, also if it is
// killed.
func startKeeper(dir string) (k kept, err error) {
	program, err := os.Executable()
	if err != nil {
		return k, err
	}
	keeper := exec.CommandContext(context.Background(), program)
	keeper.Env = append(os.Environ(), keeperVariable+"="+dir)
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C does not reach it
	k.input, err = keeper.StdinPipe()
	out, failed := keeper.StdoutPipe()
	if err := errors.Join(err, failed, keeper.Start()); err != nil {
		return k, err
	}
	if err = json.NewDecoder(out).Decode(&k); err == nil && k.Error != "" {
		err = fmt.Errorf("%s (if this stays, remove the folder %s)", k.Error, dir)
	}
	return k, err
}
