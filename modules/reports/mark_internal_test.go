package reports

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Most plays are of today, where nothing is sealed: their write prepares no statement on the tables
// of the marks.
func TestWriteOpensTheMarksWhereSomethingIsSealed(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec(t, playsSQL, testFork, days(20, 3)) // from 10 December on
	opened := func(i int) (tables []string) {
		require.NoError(t, pgx.BeginFunc(t.Context(), e.db.Owner.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), playsSQL, testFork, days(i, 1)); err != nil {
				return err
			}
			rows, err := tx.Query(t.Context(), `select relation::regclass::text from pg_locks
				where pid = pg_backend_pid() and relation in ('unsealed_days'::regclass,
				  'unsealed_months'::regclass) group by 1 order by 1`)
			if err == nil {
				tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
			}
			return err
		}))
		return tables
	}
	require.Empty(t, opened(20), "nothing is sealed")
	e.seal(t)
	require.Equal(t, []string{"unsealed_days", "unsealed_months"}, opened(20))
	require.Equal(t, []string{"unsealed_months"}, opened(15),
		"a day without a segment, in a month with one")
	require.Empty(t, opened(60), "a month without a segment")
}

// One statement on one day of two forks, or on one day twice, locks and marks what it touched.
func TestStatementMarksEachForkDayThatItTouches(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	both := `with other as (select '` + otherFork +
		`'::uuid as f) insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), '` + testOrg +
		`', f, 1, day, '' from unnest($2::timestamptz[]) day, (select $1::uuid as f union all select f from other) x`
	e.exec(t, both, testFork, days(20, 2))
	e.seal(t)
	marks := func() int {
		return e.count(t, `select count(*) from unsealed_days`) +
			10*e.count(t, `select count(*) from unsealed_months`)
	}
	e.exec(t, playsSQL, testFork, append(days(20, 1), days(20, 1)...))
	require.Equal(t, 11, marks(), "a day of one fork, twice")
	require.NotZero(t, e.seal(t).Days)
	require.Zero(t, marks())
	tx, err := e.db.Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), both, testFork, days(20, 1))
	require.NoError(t, err)
	require.False(t, e.free(t, testFork, 20))
	require.False(t, e.free(t, otherFork, 20))
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, 22, marks(), "a day of two forks")
}
