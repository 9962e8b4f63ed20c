package testkit

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// World is a test's own database, with helpers that store test data.
type World struct {
	*pgtest.Database
	t testing.TB
}

// New creates a migrated, empty database for the test.
func New(t testing.TB) *World { return NewOn(t, pgtest.New(t)) }

// NewOn returns a World on an existing database.
func NewOn(t testing.TB, db *pgtest.Database) *World { return &World{Database: db, t: t} }

// Exec runs a statement as the owner of the tables.
func (w *World) Exec(sql string, args ...any) {
	_, err := w.Owner.Pool.Exec(context.Background(), sql, args...)
	require.NoError(w.t, err, sql)
}

// Begin begins a transaction as the owner of the tables and runs the statement, such as a lock. The
// transaction is rolled back when the test ends.
func (w *World) Begin(sql string, args ...any) pgx.Tx {
	tx, err := w.Owner.Pool.Begin(w.t.Context())
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	w.ExecIn(tx, `set local idle_in_transaction_session_timeout = 0`) // a busy machine may take longer
	w.ExecIn(tx, sql, args...)
	return tx
}

// ExecIn runs a statement in a transaction of Begin.
func (w *World) ExecIn(tx pgx.Tx, sql string, args ...any) {
	_, err := tx.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err, sql)
}

// WhileWaiting starts f. Once a statement waits for a lock of tx, it calls meanwhile, if not nil, and
// commits tx. It returns the error of f.
func (w *World) WhileWaiting(tx pgx.Tx, f func() error, meanwhile func()) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	for waits := false; !waits; {
		err := tx.QueryRow(ctx, `select exists (select from pg_locks where not granted
			and pg_blocking_pids(pid) @> array[pg_backend_pid()])`).Scan(&waits)
		require.NoError(w.t, err, "no statement waits")
	}
	if meanwhile != nil {
		meanwhile()
	}
	require.NoError(w.t, tx.Commit(w.t.Context()))
	return <-done
}

// CountRows counts rows. from is the part of a query after the word "from".
func (w *World) CountRows(from string, args ...any) int {
	return Query[int](w, `select count(*) from `+from, args...)
}

// Query reads one value as the owner of the tables.
func Query[T any](w *World, sql string, args ...any) (value T) {
	err := w.Owner.Pool.QueryRow(context.Background(), sql, args...).Scan(&value)
	require.NoError(w.t, err, sql)
	return value
}

func Concurrently(n int, f func(i int)) {
	var tasks sync.WaitGroup
	for i := range n {
		tasks.Go(func() { f(i) })
	}
	tasks.Wait()
}
