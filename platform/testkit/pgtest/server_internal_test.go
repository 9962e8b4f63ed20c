package pgtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/testkit/tb"
)

// If two processes create the template at once, the slower process uses the template of the faster one.
func TestTemplateOfAFasterProcessIsUsed(t *testing.T) {
	New(t) // skips the test without PostgreSQL
	s := &server{Server: tb.Must(embeddedpg.Start(t.Context(), t.TempDir(), serverOptions...))(t)}
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	s.admin = tb.Must(pgxpool.New(t.Context(), adminURL(s.Server)))(t)
	t.Cleanup(s.admin.Close)
	require.NoError(t, tb.Exec(t, adminURL(s.Server), `create database faster`))
	faster := tb.Must(s.admin.Begin(t.Context()))(t)
	tb.Must(faster.Exec(t.Context(), `alter database faster rename to `+tb.Must(sharedServer())(t).template))(t)
	done := make(chan error, 1)
	go func() { done <- s.makeTemplate(t.Context()) }()
	require.Eventually(t, func() bool {
		return s.admin.QueryRow(t.Context(), `select 1 from pg_locks where not granted`).Scan(new(int)) == nil
	}, time.Minute, 2*time.Millisecond)
	require.NoError(t, errors.Join(faster.Commit(t.Context()), <-done))
}
