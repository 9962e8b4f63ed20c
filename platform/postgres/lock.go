package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrLocked means that another session held a lock for longer than the caller waits.
var ErrLocked = errors.New("another process holds the lock: try again when it has finished")

// AwaitLock takes the advisory lock of a name until the transaction ends: a session lock would
// outlive its client behind a transaction pooler. It waits at most timeout, then returns ErrLocked.
// The transaction's statement_timeout must be longer.
func AwaitLock(ctx context.Context, log *slog.Logger, name string, timeout time.Duration,
	querier interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	},
) error {
	var locked bool
	var lockTimeout string // the transaction's, restored after the wait
	err := querier.QueryRow(ctx, `/* postgres.tryLock */
		select pg_try_advisory_xact_lock(hashtextextended($1, 0)), current_setting('lock_timeout')`, name).
		Scan(&locked, &lockTimeout)
	if err != nil || locked {
		return err
	}
	if timeout == 0 {
		return ErrLocked
	}
	log.Info("another process holds the "+name+" lock: waiting", "at_most", timeout.String())
	err = querier.QueryRow(ctx, `/* postgres.awaitLock */
		select pg_advisory_xact_lock(hashtextextended($1, 0)) is null, set_config('lock_timeout', $3, true)
		 where set_config('lock_timeout', $2, true) is not null`, name, milliseconds(timeout), lockTimeout).
		Scan(&locked, &lockTimeout)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "55P03" {
		return ErrLocked
	}
	return err
}
