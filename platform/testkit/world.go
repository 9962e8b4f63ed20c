package testkit

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"dg/platform/testkit/pgtest"
)

// World is a database of the test's own, and what the test puts into it.
type World struct {
	*pgtest.Database
	t testing.TB
}

// New makes a database for the test, migrated and empty.
func New(t testing.TB) *World {
	t.Helper()
	return On(t, pgtest.New(t))
}

// On stores in a database that the test already has.
func On(t testing.TB, db *pgtest.Database) *World { return &World{Database: db, t: t} }

// Exec runs a statement as the owner of the tables.
func (w *World) Exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.Owner.Pool.Exec(context.Background(), sql, args...); err != nil {
		w.t.Fatalf("testkit: %v\n%s", err, sql)
	}
}

// Begin begins a transaction of the owner of the tables, in which it runs the statement, such as a
// lock. The test ends it, or its end does.
func (w *World) Begin(sql string, args ...any) pgx.Tx {
	w.t.Helper()
	tx, err := w.Owner.Pool.Begin(w.t.Context())
	if err == nil {
		w.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
		_, err = tx.Exec(w.t.Context(), sql, args...)
	}
	if err != nil {
		w.t.Fatalf("testkit: %v\n%s", err, sql)
	}
	return tx
}

// One reads one value as the owner of the tables.
func One[T any](w *World, sql string, args ...any) (value T) {
	w.t.Helper()
	if err := w.Owner.Pool.QueryRow(context.Background(), sql, args...).Scan(&value); err != nil {
		w.t.Fatalf("testkit: %v\n%s", err, sql)
	}
	return value
}
