package importer

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/postgres"
	"dg/platform/staging"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Importer imports files.
type Importer struct {
	pool *pgxpool.Pool
	keys identity.Keyring
}

// New returns an importer. The pool connects as the owner of the schema.
func New(pool *pgxpool.Pool) *Importer { return &Importer{pool: pool} }

// EncryptWith makes the importer store the secrets of two-step verification with the keyring.
func (im *Importer) EncryptWith(keys identity.Keyring) *Importer {
	im.keys = keys
	return im
}

// Input is a file: its name for errors, and how it is opened.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Summary is what an import did: the objects by type, in the order of the format, and the lines read.
type Summary struct {
	Counts []staging.Count
	Lines  int64
}

// Import takes the files as a whole or not at all. progress is called now and then, and may be nil. It returns *Errors
// when the files are wrong, with the first of what is wrong, and ErrBusy when another import runs on and on; any other error
// is the machine's, or that of ctx. In all cases nothing was changed.
func (im *Importer) Import(ctx context.Context, inputs []Input, progress func(Progress)) (Summary, error) {
	tx, err := im.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	r, err := begin(ctx, tx, im.keys, progress)
	if err != nil {
		return Summary{}, err
	}
	for _, input := range inputs {
		if err := r.file(ctx, input); err != nil {
			return Summary{}, fmt.Errorf("%s: %w", input.Name, err)
		}
		if r.errors.full() {
			break
		}
	}
	if len(r.errors.List) > 0 {
		return Summary{}, &r.errors
	}
	// Not with ctx: an import that was interrupted here would not know whether it is in.
	return r.summary, tx.Commit(context.WithoutCancel(ctx))
}

// run is one import in its transaction.
type run struct {
	stage    *staging.Stage
	decoder  *decoder
	progress *meter
	name     string // of the file
	errors   Errors
	summary  Summary
}

// lockPatience is how long an import waits for another.
const lockPatience = 10 * time.Minute

// ErrBusy says that another import did not come to its end in that time.
var ErrBusy = errors.New("another process holds the import lock: try again when its import has finished")

func begin(ctx context.Context, tx pgx.Tx, keys identity.Keyring, progress func(Progress)) (*run, error) {
	if _, err := tx.Exec(ctx, `/* importer.begin */
		set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
		set local work_mem = '64MB'; set local jit = off; set local client_min_messages = error`); err != nil {
		return nil, err
	}
	err := postgres.AwaitLock(ctx, slog.Default(), "import", lockPatience, func() (alone bool, err error) {
		err = tx.QueryRow(ctx, `/* importer.lock */ select pg_try_advisory_xact_lock(hashtextextended('dg import', 0))`).Scan(&alone)
		return alone, err
	})
	if errors.Is(err, postgres.ErrLocked) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, err
	}
	r := &run{stage: staging.New(tx), progress: newMeter(progress, time.Now)}
	r.decoder = newDecoder(
		org.NewImport(r.stage, identity.StagedUsers, bufio.NewReader(rand.Reader)),
		identity.NewImport(r.stage, keys), games.NewImport(r.stage), r.report)
	for _, typ := range types {
		r.summary.Counts = append(r.summary.Counts, staging.Count{Type: typ})
	}
	return r, r.stage.Create(ctx)
}

func (r *run) report(line int64, field, expected, got string) {
	r.errors.add(Error{File: r.name, Line: line, Field: field, Expected: expected, Got: got})
	r.stage.Drop()
}

// file reads, checks and writes one file. What is wrong with the file is added to r.errors.
func (r *run) file(ctx context.Context, input Input) error {
	r.name = input.Name
	before := len(r.errors.List)
	if err := r.read(ctx, input); err != nil || len(r.errors.List) > 0 {
		r.errors.sortLines(before)
		return err
	}
	r.progress.step(StepChecking)
	if err := r.check(ctx); err != nil || len(r.errors.List) > 0 {
		r.errors.sortLines(before)
		return err
	}
	r.progress.step(StepWriting)
	if err := r.apply(ctx); err != nil {
		return err
	}
	return r.stage.Truncate(ctx)
}

// read stages the file's objects.
func (r *run) read(ctx context.Context, input Input) error {
	file, err := input.Open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	r.progress.start(input.Name)
	return r.stage.Copy(ctx, func(ctx context.Context) error {
		if len(r.errors.List) > 0 { // of an earlier file
			r.stage.Drop()
		}
		in, err := openLines(input.Name, file)
		if err != nil {
			return r.broken(1, err)
		}
		err = r.lines(ctx, in)
		r.summary.Lines += in.number
		return err
	})
}

func (r *run) lines(ctx context.Context, in *lines) error {
	for !r.errors.full() {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			r.progress.lines(in.number, true)
			return nil
		case errors.Is(err, errTooLong):
			r.report(in.number, "", expectedShorter, "")
			continue
		case err != nil:
			return r.broken(in.number, err)
		}
		if err := r.decoder.line(in.number, line); err != nil {
			return err
		}
		if in.number%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			r.progress.lines(in.number, false)
		}
	}
	return nil
}

// broken reports a file that cannot be unpacked, and returns any other error of reading.
func (r *run) broken(line int64, err error) error {
	if !isBroken(err) {
		return fmt.Errorf("line %d: %w", line, err)
	}
	r.report(line, "", expectedGzip, quote(err.Error()))
	return nil
}

// check lets the modules look at the file as a whole.
func (r *run) check(ctx context.Context) error {
	if err := r.stage.Analyze(ctx); err != nil {
		return err
	}
	d := r.decoder
	rules := append(append(d.org.Rules(), d.identity.Rules()...), d.games.Rules()...)
	found, err := r.stage.Check(ctx, rules, MaxErrors)
	if err != nil {
		return err
	}
	all := Errors{}
	for _, v := range found {
		all.List = append(all.List, Error{File: r.name, Line: v.Line, Field: v.Field, Expected: v.Expected, Got: quote(v.Got)})
	}
	all.sortLines(0)
	for _, e := range all.List {
		r.errors.add(e)
	}
	return nil
}

// apply lets the modules write: users and organisations before what refers to them.
func (r *run) apply(ctx context.Context) error {
	d := r.decoder
	for _, module := range []interface {
		Apply(context.Context) ([]staging.Count, error)
	}{d.identity, d.org, d.games} {
		counts, err := module.Apply(ctx)
		if err != nil {
			return err
		}
		r.summary.add(counts)
	}
	return nil
}

func (s *Summary) add(counts []staging.Count) {
	for _, c := range counts {
		for i := range s.Counts {
			if t := &s.Counts[i]; t.Type == c.Type {
				t.Added += c.Added
				t.Replaced += c.Replaced
				t.Unchanged += c.Unchanged
			}
		}
	}
}
