package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/embeddedpg"
)

// stopTimeout bounds how long PostgreSQL or dg may take to stop.
const stopTimeout = 30 * time.Second

// bench is one run: the database, the program under measurement, and the results.
type bench struct {
	folder   string
	binary   string // path of the dg that is measured
	embedded *embeddedpg.Server
	owner    *pgxpool.Pool // connects as the owner of the tables
	data     benchData
	server   *server
	results  results
}

// openBench prepares binary, database, data and server. After an error, it leaves nothing running.
func openBench(ctx context.Context, o options) (_ *bench, err error) {
	b := &bench{binary: o.DG}
	if b.folder, err = filepath.Abs(filepath.Join(o.Dir, strconv.Itoa(o.Plays))); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.binary == "" {
		b.binary = filepath.Join(b.folder, "dg")
		if err := build(ctx, b.binary); err != nil {
			return nil, err
		}
	}
	if err := b.openDatabase(ctx); err != nil {
		return nil, err
	}
	if err := b.openData(ctx, o.Plays); err != nil {
		return nil, err
	}
	b.server, err = b.serve(ctx)
	return b, err
}

func build(ctx context.Context, binary string) error {
	log.Print("building dg")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "dg/app")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// openDatabase starts the embedded server, migrates it, and connects as the owner of the tables.
func (b *bench) openDatabase(ctx context.Context) (err error) {
	b.embedded, err = embeddedpg.Start(ctx, filepath.Join(b.folder, "data"))
	if err != nil {
		return err
	}
	if err := b.dgCommand(ctx, "migrate").Run(); err != nil {
		return fmt.Errorf("dg migrate: %w", err)
	}
	config, err := pgxpool.ParseConfig(b.embedded.OwnerURL())
	if err != nil {
		return err
	}
	config.MaxConns = writers + 1
	b.owner, err = pgxpool.NewWithConfig(ctx, config)
	return err
}

func (b *bench) execute(ctx context.Context, sql string, args ...any) error {
	_, err := b.owner.Exec(ctx, "/* bench */ "+sql, args...)
	return err
}

// close stops dg serve, and the embedded server unless another process uses it.
func (b *bench) close() (err error) {
	if b.server != nil {
		err = b.server.stop()
	}
	if b.owner != nil {
		b.owner.Close()
	}
	if b.embedded != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		err = errors.Join(err, b.embedded.Stop(ctx))
	}
	return err
}
