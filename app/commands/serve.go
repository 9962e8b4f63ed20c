package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"

	"dg/app/assembly"
	"dg/app/doctor"
	"dg/platform/config"
	"dg/platform/postgres"
	"dg/platform/telemetry"
)

// serveCmd is `dg serve`.
type serveCmd struct {
	config.Serve
	Demo bool `help:"Load the demo organisations first if the database is empty, and print a working demo key."`
}

// Run serves until the process is told to stop.
func (c serveCmd) Run(ctx context.Context, p Stdio) error {
	base, _ := c.Base() // a URL that is refused may have a password
	p.log.Info("dg starts", "version", version, "base_url", base,
		"database", c.shownDatabase())
	db, err := c.openChecked(ctx, p)
	if err != nil {
		return err
	}
	defer db.release()
	on, err := c.listen(ctx)
	if err != nil {
		return err
	}
	defer on.Close()
	p.log.Info("dg listens", "address", on.main.Addr().String(),
		"operations", on.ops.Addr().String())
	if p.OwnProcess {
		raiseThreads()
		db.dropPrivileges(p.log)
	}
	c.Addr = on.main.Addr().String() // with the port that the system chose for port 0
	traces, err := telemetry.NewTraces(ctx, version, p.log)
	if err != nil {
		return err
	}
	defer traces.Close()
	settings := c.settings(db, p.log)
	settings.Tracer = traces.Tracer()
	a, err := assembly.New(ctx, settings)
	if err != nil {
		return err
	}
	defer a.Close()
	greeting, err := c.greeting(ctx, db, a, p, settings.BaseURL)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { tellSystemd(p.log, daemon.SdNotifyStopping) })()
	return c.serve(ctx, a, on, db.lost, func() {
		fmt.Fprint(p.Stdout, greeting)
		tellSystemd(p.log, daemon.SdNotifyReady)
	})
}

// tellSystemd reports the state of a service of Type=notify. Elsewhere it does nothing.
func tellSystemd(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd could not be notified", "error", err)
	}
}

// openChecked opens the database and runs the checks of dg doctor: all that it can before the
// migration. A failure stops the start.
func (c serveCmd) openChecked(ctx context.Context, p Stdio) (*database, error) {
	s := subject(c.Serve, p)
	defer s.Close()
	if err := doctor.Settle(p.log, s.Find(ctx, doctor.Machine, doctor.Server)); err != nil {
		return nil, err
	}
	db, err := openEncrypted(ctx, c.Database, true, c.Secrets, p.log)
	if err != nil {
		return nil, err
	}
	after := []doctor.Stage{doctor.Schema}
	if s.URL == "" { // the embedded server was not running
		s.URL = db.servingURL
		after = []doctor.Stage{doctor.Server, doctor.Schema}
	}
	if err := doctor.Settle(p.log, s.Find(ctx, after...)); err != nil {
		db.release()
		return nil, err
	}
	return db, nil
}

// shownDatabase is the URL without its password, or the folder of the embedded server. Of an
// invalid URL nothing is shown, because the password cannot be located.
func (c serveCmd) shownDatabase() string {
	if c.Embedded() {
		return c.DataDir
	}
	if _, err := postgres.RoleOf(c.DatabaseURL); err != nil {
		return "(hidden)"
	}
	return postgres.Redact(errors.New(c.DatabaseURL)).Error()
}

// settings are those of the program. The checks have found no fault in them.
func (c serveCmd) settings(db *database, log *slog.Logger) assembly.Settings {
	base, _ := c.Base()
	proxies, _ := c.Proxies()
	return assembly.Settings{
		ServingURL:      db.servingURL,
		Replicas:        c.Replicas(),
		MaxRequestConns: c.PoolRequests,
		BaseURL:         base,
		Proxies:         proxies,
		Keys:            db.keys,
		Log:             log,
		Version:         version,
		ShutdownDelay:   c.ShutdownDelay,
		Data:            assembly.Data{Unreadable: db.unreadable, InClear: !db.keys.Encrypts()},
	}
}

// greeting is printed once dg serves. With --demo it loads the demo first. It fails if other
// machines could reach accounts of the demo.
func (c serveCmd) greeting(
	ctx context.Context, db *database, a *assembly.Program, p Stdio, base string,
) (string, error) {
	greeting := fmt.Sprintf("Serving on %s\n", base)
	if !c.Private() {
		return greeting, checkPublic(ctx, a, c.Demo)
	}
	if !c.Demo {
		return greeting, nil
	}
	key, err := loadDemo(ctx, db, a, p)
	if err != nil {
		return "", err
	}
	return greeting + demoGreeting(base, key), nil
}

// serve runs the server, the operations listener and the background work until ctx ends or one of
// them fails.
func (c serveCmd) serve(
	ctx context.Context, a *assembly.Program, on listeners, lost <-chan struct{}, ready func(),
) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if err := telemetry.ServeOps(ctx, on.ops,
			telemetry.OpsHandler(a.Ops, c.OpsAddr)); err != nil {
			stop(err)
		}
	}()
	go func() {
		select {
		case <-ctx.Done():
		case <-lost:
			stop(errors.New(
				"the embedded PostgreSQL has ended: see postgres.log in the data folder, and start again",
			))
		}
	}()
	var background sync.WaitGroup
	background.Go(func() { a.Background(ctx) })
	defer func() {
		stop(nil)
		background.Wait()
	}()
	err := a.Serve(ctx, on.main, ready)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// listeners are the addresses that dg serves on.
type listeners struct{ main, ops net.Listener }

func (c serveCmd) listen(ctx context.Context) (on listeners, err error) {
	if on.main, err = listen(ctx, "", c.Addr, "DG_ADDR"); err != nil {
		return on, err
	}
	if on.ops, err = listen(ctx, "metrics ", c.OpsAddr, "DG_OPS_ADDR"); err != nil {
		on.main.Close()
	}
	return on, err
}

// Close closes both.
func (l listeners) Close() {
	l.main.Close()
	l.ops.Close()
}

// maxSegment is the usual MSS of a network. Loopback segments have 64 KB, so the receive window of
// a local proxy opens in steps of 64 KB, and one step of a slow export would exceed the write
// deadline.
const maxSegment = 1448

func limitSegments(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// if it fails, only slow readers notice
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, maxSegment)
	})
}

// listen listens on the address. The error of a taken address names the setting.
func listen(ctx context.Context, what, addr, setting string) (net.Listener, error) {
	config := net.ListenConfig{Control: limitSegments}
	ln, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve %son %s (set %s to a free address): %w", what, addr,
			setting, err)
	}
	return ln, nil
}
