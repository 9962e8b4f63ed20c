package pgtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/testkit/tb"
)

// Of two processes that make the template of databases at once, the slower one uses that of the other.
func TestTemplateOfAFasterProcessIsUsed(t *testing.T) {
	t.Parallel()
	New(t) // skips the test without PostgreSQL
	template := tb.Must(sharedServer())(t).template
	s := &server{Server: tb.Must(embeddedpg.Start(t.Context(), t.TempDir(), serverOptions...))(t)}
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	s.admin = tb.Must(pgxpool.New(t.Context(), adminURL(s.Server)))(t)
	t.Cleanup(s.admin.Close)
	tb.Must(s.admin.Exec(t.Context(), `create database faster`))(t)
	faster := tb.Must(s.admin.Begin(t.Context()))(t)
	tb.Must(faster.Exec(t.Context(), `alter database faster rename to `+template))(t)
	done := make(chan error, 1)
	go func() { done <- s.makeTemplate(t.Context()) }()
	require.Eventually(t, func() bool {
		var waits bool
		err := s.admin.QueryRow(t.Context(), `select exists (select from pg_locks where not granted)`).Scan(&waits)
		return err == nil && waits
	}, time.Minute, 2*time.Millisecond)
	require.NoError(t, faster.Commit(t.Context()))
	require.NoError(t, <-done)
}
