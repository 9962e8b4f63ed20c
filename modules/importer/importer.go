package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Importer imports files. Pool must connect as the owner of the tables.
type Importer struct {
	Pool    *pgxpool.Pool
	Keyring identity.Keyring // encrypts the secrets of two-step verification
	Request audit.Request    // the request that audit entries record
}

// Input is a file to import. Errors begin with Name. Its suffix .gz or the magic number of the
// content selects gzip.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// ErrUnconfirmed says that the outcome of the commit is unknown: all was imported, or nothing.
var ErrUnconfirmed = errors.New("the connection to the database was lost during the commit, so " +
	"the import is in wholly or not at all: " +
	"import again, which changes nothing that is in already")

// Import imports all files or none. After any error but ErrUnconfirmed nothing has changed. It
// shows progress in one line of terminal, which may be nil. Errors: at most MaxErrors faults of the
// files, joined; postgres.ErrLocked after ten minutes; ErrUnconfirmed; those of Input.Open, the
// database and ctx.
func (im Importer) Import(
	ctx context.Context, inputs []Input, terminal io.Writer,
) ([]Count, error) {
	// by default, garbage would be collected four times as often
	if _, set := os.LookupEnv("GOGC"); !set { // respect an explicit GOGC
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	tx, err := im.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, err
	}
	// After the commit this does nothing. A failed rollback means that the connection is lost: the
	// database then rolls back itself.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := begin(ctx, tx); err != nil {
		return nil, err
	}
	r := &run{Importer: im, tx: tx, progress: terminal}
	for _, f := range formats {
		b := &batch{format: f, count: Count{Type: f.name}}
		err := b.exec(ctx, tx, `create temporary table import_{table} on commit drop as
			select 0::bigint as line, {staged} from {table} with no data;
			create temporary table last_{table} (like import_{table}) on commit drop`)
		if err != nil {
			return nil, err
		}
		r.batches = append(r.batches, b)
	}
	for _, input := range inputs {
		if err := r.importFile(ctx, input); err != nil {
			return nil, fmt.Errorf("%s: %w", input.Name, err)
		}
	}
	if len(r.errors) > 0 {
		return nil, errors.Join(r.errors...)
	}
	if err := r.storeLast(ctx); err != nil {
		return nil, err
	}
	var counts []Count
	for _, b := range r.batches {
		counts = append(counts, b.count)
	}
	// without cancellation, because the outcome of an interrupted commit is unknown
	return counts, commit(context.WithoutCancel(ctx), tx)
}

// commit returns ErrUnconfirmed unless the database has confirmed or refused the commit.
func commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	refused, answered := errors.AsType[*pgconn.PgError](err)
	if err == nil || answered && refused.Severity == "ERROR" {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
}

// begin disables timeouts for the transaction, because an import may take hours. If it waits for
// the import lock, lock_timeout becomes ten minutes.
func begin(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `/* importer.begin */
		set local statement_timeout = 0;
		set local lock_timeout = 0;
		set local idle_in_transaction_session_timeout = 0;
		set local work_mem = '64MB';
		set local jit = off;
		set local client_min_messages = error;
		set constraints organisations_slug_key, forks_slug_key deferred`)
	if err != nil {
		return err
	}
	err = postgres.AwaitLock(ctx, slog.Default(), "import", 10*time.Minute, tx)
	return apperr.Annotate(err, "wait for the import lock")
}
