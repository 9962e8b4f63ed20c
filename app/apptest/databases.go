package apptest

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// OpenAdminDB runs a folder's embedded server until the test ends, and connects as the superuser.
func OpenAdminDB(t *testing.T, dir string) *testkit.World {
	server, err := embeddedpg.Start(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return OpenAdminDBAt(t, server.URL())
}

func OpenAdminDBAt(t *testing.T, databaseURL string) *testkit.World {
	pool, err := pgxpool.New(t.Context(), tb.AsRole(databaseURL, "postgres"))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return testkit.NewOn(t, &pgtest.Database{URL: databaseURL, Owner: &postgres.DB{Pool: pool}})
}

func RowCounts(t *testing.T, db *testkit.World) map[string]int {
	counts := map[string]int{}
	for _, name := range testkit.Query[[]string](db,
		`select array_agg(tablename::text) from pg_tables where schemaname = 'public'`) {
		counts[name] = testkit.Query[int](db, `select count(*) from `+pgx.Identifier{name}.Sanitize())
	}
	require.Contains(t, counts, "plays")
	return counts
}

func DumpTable(db *testkit.World, table string) string {
	return testkit.Query[string](db, `select coalesce(string_agg(t::text, E'\n'), '') from `+
		pgx.Identifier{table}.Sanitize()+` t`)
}

// AwaitExport waits until the end of the request's export is recorded, and returns its audit details.
func (e *ExportServer) AwaitExport(t *testing.T, requestID string) (outcome string, rows int) {
	WaitUntil(t, 30*time.Second, "the export's end is not recorded", func() bool {
		err := e.Owner.Pool.QueryRow(context.Background(),
			`select details->>'outcome', (details->>'rows')::int from audit_entries
			where action = 'export.finished' and request_id = $1`, requestID).Scan(&outcome, &rows)
		return err == nil
	})
	return outcome, rows
}

// ProxyDatabase runs a proxy in front of PostgreSQL and returns the database's URL through it. pass forwards the
// messages of a client and the server, and closes both connections.
func ProxyDatabase(t *testing.T, databaseURL string, pass func(client, server net.Conn)) (proxiedURL string) {
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	q := u.Query()
	socket := filepath.Join(q.Get("host"), ".s.PGSQL."+cmp.Or(q.Get("port"), "5432"))
	dir, err := os.MkdirTemp("", "relay")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ln, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for client, err := ln.Accept(); err == nil; client, err = ln.Accept() {
			if server, err := net.Dial("unix", socket); err == nil {
				go pass(client, server)
			} else {
				_ = client.Close()
			}
		}
	}()
	return tb.OnSocket(databaseURL, dir, "5432")
}
