package reports

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit"

	"dg/modules/reports/sealer"
	"dg/modules/reports/segment"
)

// days returns instants of n days from the i-th on.
func days(i, n int) []time.Time {
	out := make([]time.Time, n)
	for k := range out {
		out[k] = testFrom.Add(time.Duration(i+k)*day + 23*time.Hour)
	}
	return out
}

// A writer locks the sealer out of the days that it touched until its transaction ends.
func TestWriterLocksTheSealerOutOfItsDays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for _, c := range []struct {
		written    []time.Time
		kept, free int
	}{
		{days(3, 1), 3, 4},
		{days(3, 64), 66, 2},
		{days(3, 65), 99, -1}, // the whole fork
	} {
		for _, write := range []string{
			`insert into plays (id, org_id, fork_id, player, started_at, answers)
				select gen_random_uuid(), '` + testOrg + `', $1, 1, day, ''
				  from unnest($2::timestamptz[]) day`,
			`update plays set score = 1, passed = false, completed_at = started_at
				where fork_id = $1 and started_at = any($2)`,
			`delete from plays where fork_id = $1 and started_at = any($2)`,
		} {
			tx := e.Begin(write, testFork, c.written)
			require.False(t, e.free(t, testFork, c.kept), write)
			require.True(t, e.free(t, otherFork, c.kept), write)
			if c.free >= 0 {
				require.True(t, e.free(t, testFork, c.free), write)
			}
			require.NoError(t, tx.Commit(t.Context()))
			require.True(t, e.free(t, testFork, c.kept), write)
		}
	}
}

// free reports whether a sealer would get the locks of the i-th day.
func (e *env) free(t *testing.T, fork string, i int) (free bool) {
	first := testFrom.Add(time.Duration(i) * day)
	require.NoError(t, pgx.BeginFunc(t.Context(), e.DB.Pool, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), sealer.TryLocksSQL,
			segment.Args(testOrg, fork, first, first.Add(day))).Scan(&free)
	}))
	return free
}

// A sealed day gets one mark, however often it is written to. An unsealed day gets none.
func TestDirtyDayIsMarkedOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.play(testFork, 1, days(20, 3)...) // from 10 December on
	require.Equal(t, []int{0, 0}, e.marks(), "nothing is sealed")
	e.seal(t)
	for range 3 {
		e.play(testFork, 1, days(20, 1)...)
		require.Equal(t, []int{1, 1}, e.marks())
	}
	for range 3 {
		e.play(testFork, 1, days(19, 4)...)
		require.Equal(t, []int{3, 1}, e.marks(), "the first of the four days was not sealed")
	}
	e.seal(t)
	require.Equal(t, []int{0, 0}, e.marks())
	e.play(testFork, 1, days(15, 1)...)
	require.Equal(t, []int{0, 1}, e.marks(), "a day without a segment, in a month with one")
}

func (e *env) marks() []int {
	return testkit.One[[]int](e.World, `select array[(select count(*) from unsealed_days),
		(select count(*) from unsealed_months)]`)
}
