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
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/postgres"
)

// bench is one run: the database, the program under measurement, and what was found.
type bench struct {
	opts     options
	progress io.Writer
	folder   string
	set      *manifest
	changed  bool // whether something was imported since the last vacuum
	main     dataset
	keys     map[string]*keyRing // by organisation

	embedded *postgres.Embedded
	reads    *pgxpool.Pool // the role that serves, with the sessions that dg has
	owner    *pgxpool.Pool // the owner of the tables
	closers  []func()
	server   *server

	version string // of PostgreSQL
	began   time.Time
	peak    int64 // the most memory that the server had, in bytes
	serving bool  // whether the server was measured at all
	lines   []line
	tables  []growthTable
	notes   []string
}

// open makes everything ready: binary, database, data set, keys, server. Where it fails it leaves nothing running.
func open(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	b := &bench{opts: o, progress: progress, keys: map[string]*keyRing{}, began: time.Now()}
	if err := b.start(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) start(ctx context.Context) (err error) {
	if b.folder, err = filepath.Abs(filepath.Join(b.opts.dir, strconv.Itoa(b.opts.plays))); err != nil {
		return err
	}
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return err
	}
	if b.set, err = openManifest(b.folder); err != nil {
		return err
	}
	if b.opts.dg == "" {
		b.say("building dg")
		build := exec.CommandContext(ctx, "go", "build", "-o", b.binary(), "dg/app")
		if printed, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build dg: %w\n%s", err, printed)
		}
	}
	if err := b.openDatabase(ctx); err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if b.server, err = b.serve(ctx); err != nil {
		return err
	}
	return b.awaitSegments(ctx)
}

// binary is the dg that is measured.
func (b *bench) binary() string { return cmp.Or(b.opts.dg, filepath.Join(b.folder, "dg")) }

func (b *bench) data() string { return filepath.Join(b.folder, "data") }

// openDatabase starts the embedded server, which all that is run from here joins, and migrates it.
func (b *bench) openDatabase(ctx context.Context) (err error) {
	b.say("starting PostgreSQL")
	if b.embedded, err = postgres.StartEmbedded(ctx, b.data(), postgres.EmbeddedOptions{}); err != nil {
		return err
	}
	if err := b.dg(ctx, nil, "migrate"); err != nil {
		return err
	}
	for _, p := range []struct {
		pool **pgxpool.Pool
		url  string
	}{{&b.reads, b.embedded.URL()}, {&b.owner, b.embedded.OwnerURL()}} {
		// The bounds of a session are for a server that others use: raw SQL may take as long as it takes.
		db, err := postgres.Open(ctx, p.url, postgres.Options{
			Name: "dg bench", MaxConns: writers + 2, StatementTimeout: -1, LockTimeout: -1, IdleInTransactionTimeout: -1,
		})
		if err != nil {
			return err
		}
		b.closers = append(b.closers, db.Close)
		*p.pool = db.Pool
	}
	return nil
}

// prepare imports what is missing and undoes what an earlier run was killed over.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.set.Writing {
		if err := b.undoWrites(ctx); err != nil {
			return err
		}
	}
	if b.main, err = b.ensure(ctx, mainSet(b.opts.plays)); err != nil {
		return err
	}
	if _, err := b.ensure(ctx, listSet(listForks)); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	if err := b.owner.QueryRow(ctx, `/* bench.version */ show server_version`).Scan(&b.version); err != nil {
		return err
	}
	b.version, _, _ = strings.Cut(b.version, " ")
	return nil
}

// stopTimeout bounds how long the server and PostgreSQL may take to stop.
const stopTimeout = 30 * time.Second

// close stops everything. It may be called at any time.
func (b *bench) close() error {
	ctx, stop := context.WithTimeout(context.Background(), stopTimeout)
	defer stop()
	var errs []error
	if b.server != nil {
		errs = append(errs, b.stopServer())
	}
	for _, c := range b.closers {
		c()
	}
	if b.embedded != nil {
		errs = append(errs, b.embedded.Stop(ctx))
	}
	return errors.Join(errs...)
}

// say tells how far the run is, on the terminal and not in the report.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.progress, "[%4.0f s] %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
}

// collect reads a result of one column.
func collect[T any](rows pgx.Rows) ([]T, error) { return pgx.CollectRows(rows, pgx.RowTo[T]) }
