package apptest

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

// AdminDB is a pool of superuser connections to the database of a folder. It keeps the embedded
// server running.
type AdminDB struct {
	*pgxpool.Pool
	Server *embeddedpg.Server
}

// OpenAdminDB starts or joins the embedded server of a folder and connects to its database.
func OpenAdminDB(t *testing.T, dir string) *AdminDB {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{Create: true})
	require.NoError(t, err)
	d := &AdminDB{Server: server}
	d.Pool, err = pgxpool.New(context.Background(), AsSuperuser(t, server.URL()))
	require.NoError(t, err)
	t.Cleanup(func() { d.Release(t) })
	return d
}

// AdminDBAt connects to the database of a URL.
func AdminDBAt(t *testing.T, connection string) *AdminDB {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), AsSuperuser(t, connection))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return &AdminDB{Pool: pool}
}

// World stores what tests need in the database.
func (d *AdminDB) World(t *testing.T) *testkit.World {
	return testkit.On(t, &pgtest.Database{Owner: &postgres.DB{Pool: d.Pool}})
}

// AsSuperuser returns the database's URL for PostgreSQL's superuser.
func AsSuperuser(t *testing.T, connection string) string {
	u, err := url.Parse(connection)
	require.NoError(t, err)
	u.User = url.User("postgres")
	return u.String()
}

// Release closes the pool and releases the server.
func (d *AdminDB) Release(t *testing.T) {
	d.Close()
	require.NoError(t, d.Server.Stop(context.Background()))
}

// Do runs a statement.
func (d *AdminDB) Do(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := d.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

// Read reads one value.
func Read[T any](t *testing.T, d *AdminDB, sql string, args ...any) T {
	t.Helper()
	var v T
	require.NoError(t, d.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}

// Tables counts the rows of every table.
func (d *AdminDB) Tables(t *testing.T) map[string]int {
	t.Helper()
	rows, err := d.Query(t.Context(),
		`select tablename::text from pg_tables where schemaname = 'public'`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	counts := map[string]int{}
	for _, name := range names {
		counts[name] = Read[int](t, d, `select count(*) from `+pgx.Identifier{name}.Sanitize())
	}
	require.Contains(t, slices.Collect(maps.Keys(counts)), "plays")
	return counts
}

// Finished waits for the end of the export of a request and returns its audit details.
func (d *AdminDB) Finished(t *testing.T, requestID string) (outcome string, rows int) {
	t.Helper()
	Until(t, 30*time.Second, "the export's end is not recorded", func() bool {
		err := d.QueryRow(context.Background(),
			`select details->>'outcome', (details->>'rows')::int from audit_entries
			where action = 'export.finished' and request_id = $1`, requestID).Scan(&outcome, &rows)
		return err == nil
	})
	return outcome, rows
}
