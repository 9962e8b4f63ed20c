package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"dg/app/assembly"
	"dg/platform/config"
	"dg/platform/telemetry"
)

// serveCmd is `dg serve`.
type serveCmd struct {
	config.Database
	config.Server
	config.Secrets
	config.Pools
	Demo bool `help:"Load the demo organisations first if the database is empty, and print a working demo key."`
}

// Run serves until the process is told to stop.
func (c serveCmd) Run(ctx context.Context, p process) error {
	proxies, err := c.Proxies()
	if err != nil {
		return err
	}
	if err := c.Pools.Check(); err != nil {
		return err
	}
	keys, err := keyring(c.Secrets)
	if err != nil {
		return err
	}
	// The folder first: of two on one folder, the second is to hear of the folder and not of the address.
	db, err := openDatabase(ctx, c.Database, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	if err := db.encrypt(ctx, keys, p.log); err != nil {
		return err
	}
	warnOfClearSecrets(keys, p.log)
	ln, err := listen(ctx, "", c.Addr, "DG_ADDR")
	if err != nil {
		return err
	}
	defer ln.Close()
	ops, err := listen(ctx, "metrics ", c.OpsAddr, "DG_OPS_ADDR")
	if err != nil {
		return err
	}
	defer ops.Close()
	if p.own {
		db.dropPrivileges(p.log)
	}
	c.Addr = ln.Addr().String() // with the port that was given for port 0
	base, err := c.Base()
	if err != nil {
		return err
	}
	a, err := assembly.New(ctx, assembly.Settings{ServingURL: db.servingURL, Pools: assembly.PoolSizes{Auth: c.PoolAuth, Reads: c.PoolReads}, BaseURL: base, Proxies: proxies, Keys: keys, Log: p.log})
	if err != nil {
		return err
	}
	defer a.Close()

	greeting := fmt.Sprintf("Serving on %s\n", base)
	if c.Demo {
		demo, err := loadDemo(ctx, db, a, p)
		if err != nil {
			return err
		}
		greeting += demo.greeting(base)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if err := telemetry.ServeOps(ctx, ops, telemetry.OpsHandler(a.Ops, c.OpsAddr)); err != nil {
			stop(err)
		}
	}()
	go func() {
		select {
		case <-ctx.Done():
		case <-db.lost:
			stop(errors.New("the embedded PostgreSQL has ended: see postgres.log in the data folder, and start again"))
		}
	}()
	var background sync.WaitGroup
	background.Go(func() { a.Background(ctx) })
	defer func() { stop(nil); background.Wait() }()
	err = a.Serve(ctx, ln, func() { fmt.Fprint(p.stdout, greeting) })
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// listen takes the address, with a sentence that says what to do when it is taken.
func listen(ctx context.Context, what, addr, setting string) (net.Listener, error) {
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve %son %s (set %s to a free address): %w", what, addr, setting, err)
	}
	return ln, nil
}
