package system

import (
	"context"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/migrations"
	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// A migration of plays waits for a running export, for up to half an hour, without blocking other
// readers, and then succeeds.
func TestMigrationWaitsForExportsWithoutBlockingReaders(t *testing.T) {
	t.Parallel()
	d := serveDemo(t)
	stats := firstFork(t, d.Fetch("/api/v1/forks", d.token)) + "/stats?from=2026-01-01&to=2026-12-31"
	endExport := holdLock(t, d.db, `select from plays limit 1`)
	files := fstest.MapFS{"99_plays.sql": {
		Data: []byte("-- +goose Up\nalter table plays add column later int;"),
	}}
	names, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		content, err := fs.ReadFile(migrations.FS, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: content}
	}
	var log tb.Book
	migrated := make(chan error, 1)
	go func() {
		migrated <- postgres.Migrate(context.Background(), d.db.Server.OwnerURL(), files, "dg_app",
			slog.New(slog.NewTextHandler(&log, nil)))
	}()
	apptest.Until(t, 20*time.Second, "the migration does not wait for its lock", func() bool {
		return strings.Contains(log.String(), "waits for a lock")
	})
	for range 12 {
		d.Fetch(stats, d.token)
	}
	require.Empty(t, migrated, "it did not wait")
	endExport()
	require.NoError(t, <-migrated)
	require.Equal(t, 1, strings.Count(log.String(), "waits for a lock"), "said once")
	require.True(t, apptest.Read[bool](t, d.db, `select exists (select from pg_attribute
		where attrelid = 'plays'::regclass and attname = 'later')`))
}
