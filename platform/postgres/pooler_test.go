package postgres_test

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// pooler starts PgBouncer in front of the shared server. It returns the direct URLs of a new
// database, as the serving role and as the owner.
func pooler(t *testing.T, lines ...string) (b func(string) string, serving, owner string) {
	serving, owner = newDatabase(t)
	return pgtest.StartBouncer(t, serving, lines...), serving, owner
}

// With the role's settings of roles.sh each session of a pooler in transaction mode has the bounds
// of a direct one. Where the pooler keeps prepared statements, dg uses them.
func TestBoundsHoldThroughPooler(t *testing.T) {
	t.Parallel()
	b, direct, _ := pooler(t)
	pgtest.SetRoleDefaults(t, direct)
	out, err := exec.CommandContext(t.Context(), "pgbouncer", "--version").Output()
	require.NoError(t, err)
	var minor int
	_, err = fmt.Sscanf(string(out), "PgBouncer 1.%d", &minor)
	require.NoError(t, err)
	kinds := []string{"transaction", "prepared"}
	if minor < 24 { // 1.21 to 1.23 need a setting
		kinds = kinds[:1]
	}
	for _, kind := range kinds {
		db := pgtest.Open(t, postgres.ThroughPooler(b(direct), kind),
			postgres.Options{Name: "dg reads", MaxConns: 8})
		holder, err := db.Pool.Begin(t.Context()) // the next statement runs in another session
		require.NoError(t, err)
		of := pgtest.Open(t, direct, postgres.Options{}).Pool
		want := settings(t, of, "setting", slices.Values([]string{
			"TimeZone", "jit", "search_path", "default_transaction_isolation", "statement_timeout",
			"lock_timeout", "idle_in_transaction_session_timeout", "client_connection_check_interval",
		}))
		for name, on := range map[string]querier{"a pool": db.Pool, "a transaction": holder} {
			require.Equal(t, want, settings(t, on, "setting", maps.Keys(want)), name)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range 50 {
					var got int
					var prepared bool
					assert.NoError(t, db.Pool.QueryRow(t.Context(),
						`select $1::int + 1, exists (select from pg_prepared_statements)`, i).
						Scan(&got, &prepared))
					assert.Equal(t, i+1, got)
					assert.Equal(t, kind == "prepared", prepared)
				}
			})
		}
		all.Wait()
		_, err = holder.Exec(t.Context(), `select pg_advisory_xact_lock(99)`)
		require.NoError(t, err)
		_, err = db.Pool.Exec(t.Context(), `select pg_advisory_xact_lock(99)`)
		mentions(t, err, "55P03")
		require.NoError(t, holder.Rollback(t.Context()))
	}
}

// Open refuses a pooler that drops dg's settings, and migrations refuse every pooler. The error
// names the setting to change.
func TestPoolerThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	refusing, direct, owner := pooler(t)
	dropping, _, _ := pooler(t, pgtest.BouncerIgnores)
	unset, _ := newDatabase(t)
	var misfit *postgres.SessionError
	for u, says := range map[string]string{
		dropping(unset): "DG_DATABASE_POOLER",
		postgres.ThroughPooler(refusing(unset), "transaction"): "roles.sh",
		postgres.ThroughPooler(refusing(unset), "prepared"):    "roles.sh",
	} {
		_, err := postgres.Open(t.Context(), u, postgres.Options{MaxConns: 1})
		require.ErrorAs(t, err, &misfit)
		require.Contains(t, misfit.Fix, says)
		require.Contains(t, misfit.Problem, "idle_in_transaction_session_timeout is 0")
	}
	_, err := postgres.Open(t.Context(), refusing(direct), postgres.Options{MaxConns: 1})
	require.ErrorContains(t, err, "unsupported startup parameter")
	pgtest.SetRoleDefaults(t, direct)
	// although there is none
	pgtest.Open(t, postgres.ThroughPooler(direct, "transaction"), postgres.Options{MaxConns: 1})
	for _, u := range []string{
		postgres.ThroughPooler(refusing(owner), "transaction"), dropping(owner),
	} {
		require.ErrorAs(t, postgres.Migrate(t.Context(), u, schema, servingRole, nil), &misfit)
		require.Contains(t, misfit.Fix, "DG_MIGRATE_DATABASE_URL")
	}
}

// A pooler in session mode works without an announcement if the role has the settings.
func TestPoolerInSessionModeWorks(t *testing.T) {
	t.Parallel()
	b, direct, _ := pooler(t, pgtest.BouncerIgnores, "pool_mode = session")
	pgtest.SetRoleDefaults(t, direct)
	db := pgtest.Open(t, b(direct), postgres.Options{MaxConns: 2})
	require.NoError(t, db.Pool.Ping(t.Context()))
}
