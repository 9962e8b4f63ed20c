package reports

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/modules/reports/snapshot"
)

// playsSQL writes a play for each of some days of a fork.
const playsSQL = `insert into plays (id, org_id, fork_id, player, started_at, answers)
	select gen_random_uuid(), '` + testOrg + `', $1, 1, day, '' from unnest($2::timestamptz[]) day`

// days returns n days from the i-th day of the field on.
func days(i, n int) []time.Time {
	out := make([]time.Time, n)
	for k := range out {
		out[k] = testFrom.Add(time.Duration(i+k)*snapshot.Day + 23*time.Hour)
	}
	return out
}

// A writer keeps the sealer away from the days it touched until its transaction ends, however many
// they are, and from no other.
func TestWriterLocksTheSealerOutOfItsDays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for name, c := range map[string]struct {
		written    []time.Time
		kept, free int
	}{
		"one day":   {days(3, 1), 3, 4},
		"some days": {days(3, 64), 66, 2},
		"many days": {days(3, 65), 99, -1}, // the whole fork
	} {
		t.Run(name, func(t *testing.T) {
			for _, write := range []string{playsSQL,
				`update plays set score = 1, passed = false, completed_at = started_at
					where fork_id = $1 and started_at = any($2)`,
				`delete from plays where fork_id = $1 and started_at = any($2)`} {
				tx, err := e.db.Owner.Pool.Begin(t.Context())
				require.NoError(t, err)
				// where the test has failed
				defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
				_, err = tx.Exec(t.Context(), write, testFork, c.written)
				require.NoError(t, err)
				require.False(t, e.free(t, testFork, c.kept), write)
				require.True(t, e.free(t, otherFork, c.kept), write)
				if c.free >= 0 {
					require.True(t, e.free(t, testFork, c.free), write)
				}
				require.NoError(t, tx.Commit(t.Context()))
				require.True(t, e.free(t, testFork, c.kept), write)
			}
		})
	}
}

// free says whether a sealer would get the locks of the i-th day.
func (e *env) free(t *testing.T, fork string, i int) (free bool) {
	t.Helper()
	first := testFrom.Add(time.Duration(i) * snapshot.Day)
	require.NoError(t, pgx.BeginFunc(t.Context(), e.db.DB.Pool, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), sealer.TryLocksSQL, fork, first, first.Add(snapshot.Day)).Scan(&free)
	}))
	return free
}

// A day that is written to repeatedly has one mark; one that is not sealed has none.
func TestDirtyDayIsMarkedOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	exec := func(days []time.Time) {
		_, err := e.db.Owner.Pool.Exec(t.Context(), playsSQL, testFork, days)
		require.NoError(t, err)
	}
	marks := func() (n [2]int) {
		require.NoError(t,
			e.db.DB.Pool.QueryRow(t.Context(),
				`select (select count(*) from unsealed_days), (select count(*) from unsealed_months)`).
				Scan(&n[0], &n[1]))
		return n
	}
	exec(days(20, 3)) // from 10 December on
	require.Equal(t, [2]int{0, 0}, marks(), "nothing is sealed")
	_, err := e.sealer.Seal(t.Context())
	require.NoError(t, err)
	for range 3 {
		exec(days(20, 1))
		require.Equal(t, [2]int{1, 1}, marks())
	}
	for range 3 {
		exec(days(19, 4))
		require.Equal(t, [2]int{3, 1}, marks(), "the first of the four days was not sealed")
	}
	_, err = e.sealer.Seal(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int{0, 0}, marks())
	exec(days(15, 1))
	require.Equal(t, [2]int{0, 1}, marks(), "a day without a segment, in a month with one")
}
