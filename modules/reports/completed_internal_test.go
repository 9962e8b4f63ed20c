package reports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/modules/reports/snapshot"
)

// A score of zero is a score: it is told apart from plays that nobody completed, of days and of
// players, sealed or not.
func TestZeroScoreIsNotTheLackOfOne(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for player, completed := range map[int]bool{1: false, 2: true} {
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, completed_at, score, passed, answers)
			select gen_random_uuid(), $1, $2, $3::int, s, case when $4 then s + interval '5 s' end,
			  case when $4 then 0 end, case when $4 then false end, ''
			  from (select $5::timestamptz + $3::int * interval '1 day' s) x`, testOrg, testFork,
			player, completed, testFrom.AddDate(0, 0, 11))
	}
	december := Query{
		OrganisationID: testOrg,
		ForkID:         testFork,
		Period:         snapshot.MonthOf(time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC)),
	}
	for _, state := range []string{"plays", "segments"} {
		s, err := e.statistics(t.Context(), december)
		require.NoError(t, err)
		require.Equal(t, []int64{2, 1, 0}, []int64{s.Plays, s.Completed, int64(s.AvgScore)}, state)
		require.Equal(t, DailyStat{Date: "2023-12-02", Plays: 1}, s.Daily[1], state)
		require.Equal(t, DailyStat{Date: "2023-12-03", Plays: 1, Completed: 1}, s.Daily[2], state)
		completed := map[string]bool{}
		for _, p := range s.Players() {
			completed[p.Label] = p.Completed
		}
		require.Equal(t, map[string]bool{"Player 1": false, "Player 2": true}, completed, state)
		require.Equal(t, map[string]sealer.Result{"plays": {Days: 2, Months: 1}, "segments": {}}[state],
			e.seal(t))
	}
}

// The average of several days is that of their plays, not of their averages.
func TestDaysAreSummedAndRoundedOnce(t *testing.T) {
	t.Parallel()
	days := []DailyStat{
		{Date: "2026-03-01", Plays: 3, Completed: 1, Score: 10_000, AvgScore: 1000},
		{Date: "2026-03-02"},
		{Date: "2026-03-03", Plays: 4, Completed: 2, Score: 1, AvgScore: 0},
	}
	require.Equal(t, DailyStat{
		Date:      "2026-03-01",
		Plays:     7,
		Completed: 3,
		Score:     10_001,
		AvgScore:  333,
	}, SumDays(days))
	require.Equal(t, DailyStat{Date: "2026-03-02"}, SumDays(days[1:2]))
}
