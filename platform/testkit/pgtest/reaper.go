package pgtest

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"dg/platform/embeddedpg"
)

// reaperVariable makes a test program a reaper. Its value is the prefix of the databases' names and
// the shared server's folder.
const reaperVariable = "DG_PGTEST_REAPER"

// init makes a TestMain in each test program unnecessary.
//
//nolint:gochecknoinits // see above
func init() {
	if prefix, dir, ok := strings.Cut(os.Getenv(reaperVariable), " "); ok {
		runReaper(dir, prefix)
		os.Exit(0)
	}
}

// runReaper waits until the test process ends, which closes standard input. It then joins the
// server, drops leftover databases and leaves. The server stops with its last user.
func runReaper(dir, prefix string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if _, err := embeddedpg.RunningURL(dir); err != nil {
		return
	}
	server, err := embeddedpg.Start(ctx, dir)
	if err != nil {
		return
	}
	defer func() { _ = server.Stop(ctx) }()
	if admin, err := pgx.Connect(ctx, adminURL(server)); err == nil {
		rows, _ := admin.Query(ctx, `/* pgtest.left */ select format('drop database %I with (force)', datname)
			from pg_database where starts_with(datname, $1)`, prefix)
		drops, _ := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, drop := range drops {
			_, _ = admin.Exec(ctx, drop)
		}
		_ = admin.Close(ctx)
	}
}

// startReaper starts a reaper. The reaper cleans up and ends after input is closed, which also
// happens if this process is killed.
func startReaper(dir string) (input io.Closer, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	reaper := exec.CommandContext(context.Background(), program)
	reaper.Env = append(os.Environ(), reaperVariable+"="+databasePrefix+" "+dir)
	reaper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C does not reach the reaper
	if input, err = reaper.StdinPipe(); err != nil {
		return nil, err
	}
	return input, reaper.Start()
}
