package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// settings reads settings of a session by their names.
func settings(
	t *testing.T, on querier, value string, names iter.Seq[string],
) (found map[string]string) {
	require.NoError(t, on.QueryRow(t.Context(),
		`select json_object_agg(name, `+value+`) from pg_settings where name = any($1)`,
		slices.Collect(names)).Scan(&found))
	return found
}

func TestSessionSettingsOverrideTheURL(t *testing.T) {
	t.Parallel()
	serving, _ := newDatabase(t)
	hostile := serving +
		"&timezone=Asia/Tokyo&client_encoding=LATIN1&default_transaction_isolation=serializable" +
		"&statement_timeout=0&jit=on&search_path=app"
	db := pgtest.Open(t, hostile, postgres.Options{
		Name:        "reads",
		LockTimeout: 3 * time.Second,
	})
	want := map[string]string{
		"application_name":                    "reads",
		"TimeZone":                            "UTC",
		"client_encoding":                     "UTF8",
		"default_transaction_isolation":       "read committed",
		"jit":                                 "off",
		"search_path":                         "public",
		"statement_timeout":                   "30s", // the default
		"lock_timeout":                        "3s",
		"idle_in_transaction_session_timeout": "10s",
	}
	require.Equal(t, want, settings(t, db.Pool, "current_setting(name)", maps.Keys(want)))
	// over a Unix socket those of TCP read as 0, and their reset values are what was asked for
	want = map[string]string{
		"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
		"tcp_user_timeout": "30000", "client_connection_check_interval": "5000",
	}
	require.Equal(t, want, settings(t, db.Pool, "reset_val", maps.Keys(want)))
}

func TestTimesAreReadAsUTC(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Options{})
	var direct, byGorm time.Time
	require.NoError(t,
		db.Pool.QueryRow(t.Context(), `select '2026-03-01 09:30+02'::timestamptz`).Scan(&direct))
	require.NoError(t,
		db.Gorm.Scopes(onNoTable).Raw(`select '2026-03-01 09:30+02'::timestamptz`).Scan(&byGorm).
			Error)
	want := time.Date(2026, 3, 1, 7, 30, 0, 0, time.UTC)
	require.Equal(t, []time.Time{want, want}, []time.Time{direct, byGorm})
}

// onNoTable is the scope of statements on tables without an organisation.
var onNoTable = tenant.Across("on no organisation's table")

func TestStatementsAndLockWaitsTimeOut(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Options{
		StatementTimeout: 50 * time.Millisecond,
		LockTimeout:      20 * time.Millisecond,
	})
	_, err := db.Pool.Exec(t.Context(), `select pg_sleep(20)`)
	mentions(t, err, "57014")
	holder, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer holder.Rollback(context.Background())
	_, err = holder.Exec(t.Context(), `select pg_advisory_xact_lock(815)`)
	require.NoError(t, err)
	err = db.Gorm.Scopes(onNoTable).Exec(`select pg_advisory_xact_lock(815)`).Error
	mentions(t, err, "55P03")
}

func TestNoErrorShowsThePassword(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"postgres://dg:topsecret@localhost:port/dg",
		"postgres://dg:top%secret@localhost/dg",
		"postgres://dg:topsecret/x@localhost/dg",
		"postgres://dg:topsecret@localhost:1/dg?sslmode=perhaps",
		"host=localhost password=topsecret sslmode=perhaps",
		"postgres://dg:topsecret@localhost:1/dg",
		"postgres://dg:topsecret@[::1/dg",
		"postgres://dg:Superp@$$secret@localhost:1/dg",
		"postgres://dg:p@secret/x@localhost:1/dg",
		"postgres://localhost:1/secret@localhost/dg",
		"postgres://dg:p@secret?x=1@localhost:1/dg",
		"postgres://dg:p?x@secret@localhost:1/dg",
		"postgres://dg:p/x?y@secret@localhost:1/dg",
		"topsecret",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := postgres.Open(ctx, bad, postgres.Options{})
		cancel()
		_, roleErr := postgres.RoleOf(bad)
		for _, err := range []error{
			err, errors.Join(roleErr, errors.New("")), postgres.Migrate(t.Context(), bad, schema, "x", nil),
		} {
			require.Error(t, err, bad)
			require.NotContains(t, fmt.Sprintf("%v %+v", err, err), "secret")
		}
	}
}

// A connection that the server ends within an answer is unavailable, for pgx and for gorm. There is
// no partial result.
func TestConnectionThatEndsIsUnavailable(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Options{MaxConns: 1})
	const ends = `select n, case when n = 5000 then pg_terminate_backend(pg_backend_pid()) end
		from generate_series(1, 10000) n`
	rows, _ := db.Pool.Query(t.Context(), ends)
	for rows.Next() {
	}
	require.True(t, postgres.IsUnavailable(rows.Err()), "%v", rows.Err())
	require.NoError(t, db.Pool.Ping(t.Context()))
	var read []map[string]any
	err := db.Gorm.Scopes(onNoTable).Raw(ends).Scan(&read).Error
	require.True(t, postgres.IsUnavailable(err), "%v", err)
	batch := &pgx.Batch{}
	batch.Queue(`select 1`)
	batch.Queue(ends)
	err = db.Pool.SendBatch(t.Context(), batch).Close()
	require.True(t, postgres.IsUnavailable(err), "%v", err)
}

// The position of a read covers commits that are visible but not flushed, whatever the reader's own
// synchronous_commit, and lies on the server's timeline.
func TestPositionCoversUnflushedCommits(t *testing.T) {
	url, _ := newDatabase(t)
	for _, reader := range []string{"on", "off"} {
		require.NoError(t, tb.Exec(t, url+"&synchronous_commit=off", `create temporary table t ()`))
		before := tb.Query[uint64](t, url, `select (pg_current_wal_insert_lsn() - '0/0')::bigint`)
		at := tb.Query[postgres.Position](t, url+"&synchronous_commit="+reader,
			`select `+postgres.PositionExpression)
		require.GreaterOrEqual(t, at.LSN, before)
		require.Equal(t, uint32(1), at.Timeline)
	}
	require.Zero(t, tb.Query[postgres.Position](t, url, `select null::text`))
}

// A connection whose server refuses writes, as a standby does, is closed: another one may lead to
// the primary.
func TestConnectionToStandbyIsClosed(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Options{MaxConns: 1})
	conn, err := db.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), `begin read only; create temporary sequence s`)
	if err == nil { // PostgreSQL allows temporary sequences
		_, err = conn.Exec(t.Context(), `select setval('s', 1); create table t (id int)`)
	}
	mentions(t, err, "25006")
	require.True(t, postgres.IsUnavailable(err))
	require.True(t, conn.Conn().IsClosed())
}
