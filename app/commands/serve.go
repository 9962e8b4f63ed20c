package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/coreos/go-systemd/v22/daemon"

	"dg/app/assembly"
	"dg/app/doctor"
	"dg/platform/config"
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
	p.log.Info("dg starts", "version", version, "base_url", base)
	db, err := c.openDatabase(ctx, p)
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
		tuneRuntime()
		db.dropPrivileges()
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
	greeting, err := c.greeting(ctx, db, a, p, settings)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { tellSystemd(p.log, daemon.SdNotifyStopping) })()
	return c.serve(ctx, a, on, db.lost(), func() {
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

// openDatabase connects to the database and migrates it, between the checks of dg doctor. A failure
// stops the start.
func (c serveCmd) openDatabase(ctx context.Context, p Stdio) (db *database, err error) {
	s := doctor.Subject{Serve: c.Serve, Unknown: p.unknown, InUse: doctor.Failure, Log: p.log}
	defer s.Close()
	check := func(stage doctor.Stage) error { return doctor.Settle(p.log, s.Find(ctx, stage)) }
	if err := check(doctor.Machine); err != nil {
		return nil, err
	}
	if db, err = connect(ctx, c.Database, true, p.log); err != nil {
		return nil, err
	}
	s.URL = db.servingURL
	err = check(doctor.Server)
	if err == nil {
		err = db.migrate(ctx)
	}
	if err == nil {
		keys, _ := keyring(c.Secrets) // checked with the settings
		err = db.encrypt(ctx, keys, false)
	}
	if err == nil {
		err = check(doctor.Schema)
	}
	if err != nil {
		db.release()
	}
	return db, err
}

// settings are those of the program. The checks have found no fault in them.
func (c serveCmd) settings(db *database, log *slog.Logger) assembly.Settings {
	base, _ := c.Base()
	proxies, _ := c.Proxies()
	keys, _ := keyring(c.Secrets)
	return assembly.Settings{
		ServingURL:      db.servingURL,
		Replicas:        c.Replicas(),
		MaxRequestConns: c.PoolRequests,
		BaseURL:         base,
		Proxies:         proxies,
		Keys:            keys,
		Log:             log,
		Version:         version,
		ShutdownDelay:   c.ShutdownDelay,
		Data:            assembly.Data{Unreadable: db.unreadable, InClear: !keys.Encrypts()},
	}
}

// greeting is printed once dg serves. With --demo it loads the demo first. It fails if other
// machines could reach accounts of the demo.
func (c serveCmd) greeting(
	ctx context.Context, db *database, a *assembly.Program, p Stdio, settings assembly.Settings,
) (string, error) {
	greeting := fmt.Sprintf("Serving on %s\n", settings.BaseURL)
	switch {
	case !c.Private() && c.Demo:
		return "", errPublicDemo
	case !c.Private():
		return greeting, checkPublic(ctx, a.Pools.Requests.Pool)
	case c.Demo:
		tryIt, err := loadDemo(ctx, db, settings.Keys, p, settings.BaseURL)
		return greeting + tryIt, err
	}
	return greeting, nil
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
