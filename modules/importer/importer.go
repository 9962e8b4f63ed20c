package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Importer imports files as the owner of the tables.
type Importer struct {
	Pool    *pgxpool.Pool
	Keys    identity.Keyring // of the secrets of two-step verification
	Request audit.Request    // of the audit entries
}

// Input is a file: its name for errors, and how to open it.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Summary counts what an import did, by type in the order of formats.
type Summary []Count

// gcPercent is GOGC during an import. Lines are short-lived garbage on a heap of few megabytes, so
// collecting a quarter as often costs little memory, and saves a quarter of the time.
const gcPercent = 400

// lockTimeout bounds the wait for another import.
const lockTimeout = 10 * time.Minute

// ErrUnconfirmed is returned when the connection was lost during the commit.
var ErrUnconfirmed = errors.New("the connection to the database was lost during the commit, so " +
	"the import is in wholly or not at all: " +
	"import again, which changes nothing that is in already")

// Import imports all files or none; on any error but ErrUnconfirmed nothing has changed. It shows
// progress in one line of a terminal, which may be nil, and does not end the line.
//
// Errors: Errors with the first errors of the files, postgres.ErrLocked, ErrUnconfirmed, and those
// of the database and of ctx.
func (im Importer) Import(
	ctx context.Context, inputs []Input, terminal io.Writer,
) (Summary, error) {
	if _, set := os.LookupEnv("GOGC"); !set { // respect an explicit GOGC
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	tx, err := im.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, err
	}
	// No-op after the commit. If the rollback fails the connection is lost, and the database rolls
	// back.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := begin(ctx, tx); err != nil {
		return nil, err
	}
	r := newRun(im, tx, terminal)
	for _, b := range r.batches {
		if err := b.create(ctx, tx); err != nil {
			return nil, err
		}
	}
	for _, input := range inputs {
		if err := r.importFile(ctx, input); err != nil {
			return nil, fmt.Errorf("%s: %w", input.Name, err)
		}
	}
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	var summary Summary
	for _, b := range r.batches {
		summary = append(summary, b.count)
	}
	// not cancelled: the outcome of an interrupted commit is unknown
	return summary, commit(context.WithoutCancel(ctx), tx)
}

// commit commits tx. Errors: the database's refusal, or else ErrUnconfirmed.
func commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	refused, answered := errors.AsType[*pgconn.PgError](err)
	if err == nil || answered && refused.Severity == "ERROR" {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
}

// begin disables the transaction's timeouts, because an import may take hours, sets its memory, and
// takes the import lock. Errors: postgres.ErrLocked after lockTimeout.
func begin(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `/* importer.begin */
		set local statement_timeout = 0;
		set local lock_timeout = 0;
		set local idle_in_transaction_session_timeout = 0;
		set local work_mem = '64MB';
		set local jit = off;
		set local client_min_messages = error`)
	if err != nil {
		return err
	}
	err = postgres.AwaitLock(ctx, slog.Default(), "import", lockTimeout, tx)
	return apperr.Annotate(err, "wait for the import lock")
}

// Print writes a table of what was added, replaced and unchanged, by type. It omits types without
// objects.
func (s Summary) Print(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%-14s%10s%10s%11s\n", "", "added", "replaced", "unchanged")
	for _, c := range s {
		if c.Added+c.Replaced+c.Unchanged > 0 {
			fmt.Fprintf(&text, "%-14s%10d%10d%11d\n", c.Type, c.Added, c.Replaced, c.Unchanged)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
