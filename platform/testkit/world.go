package testkit

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// World is a database of the test's own, and what the test puts into it.
type World struct {
	*pgtest.Database
	t testing.TB
}

// New makes a database for the test, migrated and empty.
func New(t testing.TB) *World {
	return On(t, pgtest.New(t))
}

// On stores in a database that the test already has.
func On(t testing.TB, db *pgtest.Database) *World { return &World{Database: db, t: t} }

// Exec runs a statement as the owner of the tables.
func (w *World) Exec(sql string, args ...any) {
	_, err := w.Owner.Pool.Exec(context.Background(), sql, args...)
	require.NoError(w.t, err, sql)
}

// Begin begins a transaction of the owner of the tables, in which it runs the statement, such as a
// lock. The test ends it, or its end does.
func (w *World) Begin(sql string, args ...any) pgx.Tx {
	tx, err := w.Owner.Pool.Begin(w.t.Context())
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err, sql)
	return tx
}

// One reads one value as the owner of the tables.
func One[T any](w *World, sql string, args ...any) (value T) {
	err := w.Owner.Pool.QueryRow(context.Background(), sql, args...).Scan(&value)
	require.NoError(w.t, err, sql)
	return value
}
