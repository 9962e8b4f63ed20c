package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/embeddedpg"
	"dg/platform/postgres"
)

// bench is one run: the database, the program under measurement, and the results.
type bench struct {
	opts     options
	folder   string
	data     manifest
	main     *dataset
	keys     map[string]*keyRing // by organisation
	embedded *embeddedpg.Server
	reads    *pgxpool.Pool // the role that serves
	owner    *pgxpool.Pool // the owner of the tables
	server   *server
	report   *report
}

// stopTimeout bounds how long a child may take to stop.
const stopTimeout = 30 * time.Second

// open prepares binary, database, data set and server. Where it fails it leaves nothing running.
func open(ctx context.Context, o options, progress io.Writer) (_ *bench, err error) {
	b := &bench{opts: o, keys: map[string]*keyRing{}, report: newReport(progress)}
	b.report.settings = o.Postgres
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.folder, err = filepath.Abs(filepath.Join(o.Dir, strconv.Itoa(o.Plays))); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return nil, err
	}
	if o.DG == "" {
		b.report.progress("building dg")
		if printed, err := exec.CommandContext(ctx, "go", "build", "-o", b.binary(), "dg/app").
			CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build dg: %w\n%s", err, printed)
		}
	}
	if err := b.openDatabase(ctx); err != nil {
		return nil, err
	}
	if err := b.openData(ctx); err != nil {
		return nil, err
	}
	b.server, err = b.serve(ctx)
	return b, err
}

func (b *bench) binary() string { return cmp.Or(b.opts.DG, filepath.Join(b.folder, "dg")) }

// openDatabase starts the embedded server and migrates it.
func (b *bench) openDatabase(ctx context.Context) (err error) {
	b.report.progress("starting PostgreSQL")
	if b.embedded, err = embeddedpg.Start(ctx, filepath.Join(b.folder, "data"),
		embeddedpg.Options{Create: true, Settings: b.opts.Postgres}); err != nil {
		return err
	}
	if err := b.run(ctx, nil, "migrate"); err != nil {
		return err
	}
	if b.reads, err = openPool(ctx, b.embedded.URL()); err != nil {
		return err
	}
	if b.owner, err = openPool(ctx, b.embedded.OwnerURL()); err != nil {
		return err
	}
	return b.owner.QueryRow(ctx, `/* bench.version */ show server_version`).Scan(&b.report.postgres)
}

// openPool connects without the time limits of a serving session: raw SQL takes as long as it
// takes.
func openPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	db, err := postgres.Open(ctx, url, postgres.Options{
		Name:                     "dg bench",
		MaxConns:                 writers + 2,
		StatementTimeout:         -1,
		LockTimeout:              -1,
		IdleInTransactionTimeout: -1,
	})
	if err != nil {
		return nil, err
	}
	return db.Pool, nil
}

// execute runs a statement as the owner of the tables.
func (b *bench) execute(ctx context.Context, sql string, args ...any) error {
	_, err := b.owner.Exec(ctx, `/* bench */ `+sql, args...)
	return err
}

// close stops everything, and keeps the peak memory of dg.
func (b *bench) close() error {
	ctx, stop := context.WithTimeout(context.Background(), stopTimeout)
	defer stop()
	var errs []error
	if b.server != nil {
		b.report.peak, _ = b.server.peakMemory()
		errs = append(errs, b.server.stop())
	}
	for _, pool := range []*pgxpool.Pool{b.reads, b.owner} {
		if pool != nil {
			pool.Close()
		}
	}
	if b.embedded != nil {
		errs = append(errs, b.embedded.Stop(ctx))
	}
	return errors.Join(errs...)
}
