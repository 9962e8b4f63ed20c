package reports

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/limiter"
	"dg/platform/postgres"
)

// What the list of forks shows is the plays of each, whatever of them is sealed, written since,
// or another organisation's.
func TestPlaysOfForks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	random := rand.New(rand.NewPCG(8, 8))
	_, err := e.db.Owner.Pool.Exec(t.Context(), insertSQL, testFrom, 100, 3_000)
	require.NoError(t, err)
	for range 6 {
		_, err := e.sealer.Seal(t.Context())
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, e.write(t.Context(), random, e.db.Owner))
		}
		p := Period{From: testFrom.Add(time.Duration(random.IntN(90)) * day), Days: 1 + random.IntN(40)}
		want := map[string]int64{}
		for _, fork := range []string{testFork, otherFork} {
			var n int64
			err := e.db.Owner.Pool.QueryRow(t.Context(), `select count(*) from plays where fork_id = $1 and started_at >= $2 and started_at < $3`,
				fork, p.From, p.End()).Scan(&n)
			require.NoError(t, err)
			want[fork] = n
		}
		got, err := e.reports.PlaysOfForks(t.Context(), testOrg, p, postgres.Position{})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	var sealed int
	require.NoError(t, e.db.Owner.Pool.QueryRow(t.Context(), `select count(*) from fork_days`).Scan(&sealed))
	require.Positive(t, sealed)
	none, err := e.reports.PlaysOfForks(t.Context(), "00000000-0000-4000-8000-000000000000", Period{From: testFrom, Days: 100}, postgres.Position{})
	require.NoError(t, err)
	require.Empty(t, none)
}

// A day with too many plays for a segment counts in the list as it does in the statistics.
func TestListCountsLargeDays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.sealer.maxDayPlays = 20
	e.exec(t, insertSQL, testFrom.Add(5*day), 1, 60)
	e.exec(t, insertSQL, testFrom.Add(8*day), 1, 10)
	e.exec(t, `update plays set fork_id = $1`, testFork)
	require.Equal(t, 1, e.seal(t).Large)
	p := Period{From: testFrom, Days: 30}
	stats, err := e.reports.Statistics(t.Context(), Query{OrganisationID: testOrg, ForkID: testFork, Period: p},
		func(l *limiter.Lease) { l.Release() })
	require.NoError(t, err)
	require.EqualValues(t, 70, stats.Plays)
	listed, err := e.reports.PlaysOfForks(t.Context(), testOrg, p, postgres.Position{})
	require.NoError(t, err)
	require.Equal(t, stats.Plays, listed[testFork])
}
