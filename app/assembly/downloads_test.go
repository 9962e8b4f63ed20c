package assembly_test

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// rules.md, CSV: a running export needs no free connection of the request pool. If that pool is exhausted, the export
// continues, and a revocation still aborts it within two seconds.
func TestExportsAreRecheckedBesideFullAuthPool(t *testing.T) {
	w := start(t)
	x := w.tenant(30_000)
	running := apptest.ReadSlowly(w.beginExport(x).Body)
	requests := w.Pools.Requests.Pool
	for range requests.Config().MaxConns {
		conn, err := requests.Acquire(t.Context())
		require.NoError(t, err)
		defer conn.Release()
	}
	rechecks := w.Pools.Recheck.Pool.Stat().AcquireCount()
	apptest.Until(t, 20*time.Second, "the export is not rechecked", func() bool {
		return w.Pools.Recheck.Pool.Stat().AcquireCount() > rechecks+3
	})
	revoked := time.Now()
	w.Exec(`update api_keys set revoked_at = now() where id = $1`, x.key.ID)
	require.ErrorIs(t, <-running, syscall.ECONNRESET)
	require.Less(t, time.Since(revoked), 3*time.Second)
}

// rules.md, CSV: all rows come from one snapshot. A change of the reporting mode, or an erasure, does not change the
// labels and rows of a running export.
func TestRunningExportKeepsItsSnapshot(t *testing.T) {
	w := start(t)
	x := w.tenant(10_000)
	running := w.beginExport(x)
	w.Exec(`update organisations set reporting_mode = 'nominative'`)
	w.Exec(`delete from plays where player < 5`)
	file := apptest.ReadAll(t, running)
	require.Equal(t, 10_001, strings.Count(file, "\n"))
	require.Equal(t, 1_000, strings.Count(file, ",P-1,P-1,"))
	require.NotContains(t, file, "Player")
	next := apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), w.Base+x.exportPath(), x.key.Token()))
	require.Contains(t, next, "Player 5")
}

// At shutdown, running exports continue for the grace. Then they end with a reset, which the audit log records.
func TestShutdownAbortsExportsVisibly(t *testing.T) {
	w := start(t)
	x := w.tenant(10_000)
	running := []io.Reader{w.beginExport(x).Body, w.beginExport(x).Body}
	begun := time.Now()
	require.NoError(t, w.Stop())
	require.GreaterOrEqual(t, time.Since(begun), time.Second, "running answers have a grace")
	for _, body := range running {
		_, err := io.Copy(io.Discard, body)
		require.ErrorIs(t, err, syscall.ECONNRESET, "a truncated file looks complete")
	}
	require.Equal(t, len(running), w.Count(`audit_entries
		where action = 'export.finished' and details->>'outcome' = 'server_stopped'
		  and (details->>'rows')::int between 1 and 9999`))
}

// The usage of the last minute is in memory until Close stores it.
func TestShutdownStoresKeyUsage(t *testing.T) {
	w := start(t)
	x := w.tenant(1)
	require.Equal(t, http.StatusOK, w.call(x, "/api/v1/forks"))
	require.Equal(t, http.StatusNotFound, w.call(x, "/api/v1/forks/x"))
	require.Equal(t, http.StatusForbidden, w.call(x, "/docs"))
	const stored = `select count(*) from api_key_usage where key_id = $1 and (accepted, refused, limited) = (2, 1, 0)`
	require.Zero(t, testkit.One[int](w.World.World, stored, x.key.ID))
	require.NoError(t, w.Stop())
	w.Close()
	require.Equal(t, 1, testkit.One[int](w.World.World, stored, x.key.ID))
}
