package postgres

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/bouncer"
	"dg/platform/testkit/logbook"
)

// pooler starts PgBouncer in front of the shared server. It returns the direct URLs of a new
// database, as the serving role and as the owner.
func pooler(t *testing.T, lines ...string) (b *bouncer.Bouncer, serving, owner string) {
	t.Helper()
	serving, owner = newDatabase(t)
	return bouncer.Start(t, parsed(t, serving).Query().Get("host"), lines...), serving, owner
}

// Through a pooler in transaction mode each of its sessions has the bounds of a direct session.
func TestBoundsHoldThroughPooler(t *testing.T) {
	t.Parallel()
	b, direct, _ := pooler(t)
	through := ThroughPooler(b.URL(direct))
	var book logbook.Book
	_, err := Open(t.Context(), through, Options{})
	var misfit *PoolerError
	require.ErrorAs(t, err, &misfit)
	require.ErrorContains(t, err, "idle_in_transaction_session_timeout is 0")

	require.NoError(t, SetRoleDefaults(t.Context(), through, book.Logger()))
	require.Contains(t, book.String(), "the serving role has dg's session settings")
	db := open(t, through, Options{Name: "dg reads", MaxConns: 8})
	holder, err := db.Pool.Begin(t.Context()) // the next statement runs in another session
	require.NoError(t, err)
	defer func() { _ = holder.Rollback(context.Background()) }()
	const settings = `select json_object_agg(name, setting) from pg_settings where name = any($1)`
	want := sessionParams(Options{})
	want["TimeZone"] = "UTC"
	for name, on := range map[string]interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}{"a pool": db.Pool, "a transaction": holder} {
		var got map[string]string
		require.NoError(t,
			on.QueryRow(t.Context(), settings, slices.Collect(maps.Keys(want))).Scan(&got))
		require.Equal(t, want, got, name)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 50 {
				var got int
				assert.NoError(t, db.Pool.QueryRow(t.Context(), `select $1::int + 1`, i).Scan(&got))
				assert.Equal(t, i+1, got)
			}
		})
	}
	all.Wait()
	_, err = holder.Exec(t.Context(), `select pg_advisory_xact_lock(99)`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), `select pg_advisory_xact_lock(99)`)
	mentions(t, err, "55P03")

	again := logbook.Book{}
	require.NoError(t, SetRoleDefaults(t.Context(), through, again.Logger()))
	require.Empty(t, again.String(), "nothing is missing any more")
}

// sizing.md, PgBouncer: statements are prepared if the pooler keeps them, as PgBouncer does by
// default from 1.24 on, and run in any of its sessions.
func TestStatementsArePreparedWhereThePoolerKeepsThem(t *testing.T) {
	t.Parallel()
	b, direct, _ := pooler(t)
	require.NoError(t, SetRoleDefaults(t.Context(), direct, new(logbook.Book).Logger()))
	out, err := exec.CommandContext(t.Context(), "pgbouncer", "--version").Output()
	require.NoError(t, err)
	var minor int
	_, err = fmt.Sscanf(string(out), "PgBouncer 1.%d", &minor)
	require.NoError(t, err)
	pools := make([]*DB, 8) // each probes the sessions of the others
	var all sync.WaitGroup
	for i := range pools {
		all.Go(func() {
			db, err := Open(t.Context(), ThroughPooler(b.URL(direct)), Options{MaxConns: 8})
			assert.NoError(t, err)
			pools[i] = db
		})
	}
	all.Wait()
	for _, db := range pools {
		t.Cleanup(db.Close)
		all.Go(func() {
			for range 50 {
				var prepared bool
				err := db.Pool.QueryRow(t.Context(),
					`select exists (select from pg_prepared_statements where statement like '%sleep%'),
						pg_sleep(0.001)::text`).
					Scan(&prepared, nil)
				assert.NoError(t, err)
				assert.Equal(t, minor >= 24, prepared, "%s", out)
			}
		})
	}
	all.Wait()
}

// Open refuses an unsuitable pooler with an error that names the setting to change.
func TestPoolerThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	refusing, direct, owner := pooler(t)
	dropping, _, _ := pooler(t, bouncer.Ignored)
	require.NoError(t, SetRoleDefaults(t.Context(), direct, new(logbook.Book).Logger()))
	unset, _ := newDatabase(t)
	for name, c := range map[string]struct{ url, says string }{
		"refuses settings": {
			refusing.URL(direct), "refuses dg's session settings (unsupported startup parameter: ",
		},
		"drops settings": {
			dropping.URL(unset),
			"drops dg's session settings (idle_in_transaction_session_timeout is 0)",
		},
		"loses prepared statements": {
			dropping.URL(direct),
			"a pooler gives the statements of one connection to several sessions",
		},
		"the role has no settings": {
			ThroughPooler(refusing.URL(unset)), "is 0 in the pooler's sessions",
		},
	} {
		_, err := Open(t.Context(), c.url, Options{MaxConns: 1})
		require.ErrorContains(t, err, c.says, name)
		var misfit *PoolerError
		require.ErrorAs(t, err, &misfit, name)
	}
	open(t, ThroughPooler(direct), Options{MaxConns: 1}) // announced, although there is none
	for name, u := range map[string]string{
		"marked":   ThroughPooler(refusing.URL(owner)),
		"dropping": dropping.URL(owner),
		"refusing": refusing.URL(owner),
	} {
		var misfit *PoolerError
		require.ErrorAs(t, Migrate(t.Context(), u, schema, servingRole, nil), &misfit, name)
		require.ErrorContains(t, misfit, "DG_MIGRATE_DATABASE_URL", name)
	}
}

// A pooler in session mode works without an announcement if the role has the settings.
func TestPoolerInSessionModeWorks(t *testing.T) {
	t.Parallel()
	b, direct, _ := pooler(t, bouncer.Ignored, "pool_mode = session")
	require.NoError(t, SetRoleDefaults(t.Context(), direct, new(logbook.Book).Logger()))
	db := open(t, b.URL(direct), Options{MaxConns: 2})
	require.NoError(t, db.Pool.Ping(t.Context()))
}
