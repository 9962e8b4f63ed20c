package system

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
)

// A migration of the plays waits for a running export, which may take half an hour, without
// blocking other readers of the table, and succeeds when the export has ended.
func TestMigrationWaitsForExportsWithoutBlockingReaders(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, "--demo")
	body, status := paste(t, c.Out.String())
	require.Equal(t, "200", status)
	stats := c.URL + "/api/v1/forks/" + firstFork(t, body) + "/stats?from=2026-01-01&to=2026-12-31"
	token := demoToken(t, c)
	d := apptest.OpenDoor(t, dir)
	export, err := d.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = export.Rollback(context.Background()) }()
	_, err = export.Exec(t.Context(), `select from plays limit 1`)
	require.NoError(t, err)

	var log apptest.Buffer
	migrated := make(chan error, 1)
	files := migrationsWith(t, "20991231000000_plays.sql",
		"alter table plays add column later int;",
		"")
	go func() {
		migrated <- postgres.Migrate(context.Background(), d.Server.OwnerURL(), files, "dg_app",
			slog.New(slog.NewTextHandler(&log, nil)))
	}()
	apptest.Until(t, 20*time.Second, "the migration does not ask for its lock", func() bool {
		return strings.Contains(log.String(), "waits for a lock") ||
			apptest.Read[bool](t, d,
				`select exists (select from pg_locks
					where relation = 'plays'::regclass and mode = 'AccessExclusiveLock' and not granted)`)
	})
	var slowest time.Duration
	for range 12 {
		begun := time.Now()
		require.Equal(t, http.StatusOK,
			apptest.Ask(t, apptest.NewClient(), stats, token).StatusCode,
			"after %s", time.Since(begun))
		slowest = max(slowest, time.Since(begun))
	}
	t.Logf("the slowest of 12 statistics took %s", slowest)
	select {
	case err := <-migrated:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	require.NoError(t, export.Rollback(context.Background()))
	require.NoError(t, <-migrated)
	require.Equal(t, 1, strings.Count(log.String(), "waits for a lock"), "said once: %s",
		log.String())
	require.True(t,
		apptest.Read[bool](t, d,
			`select exists (select from pg_attribute where attrelid = 'plays'::regclass and attname = 'later')`))
}
