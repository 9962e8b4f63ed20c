package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A completed play with the score 0 differs from an unfinished one. Package segment keeps the
// difference (TestDayComesBackAsItWas, TestMonthHasThePlaysOfEachPlayer).
func TestZeroScoreIsNotTheLackOfOne(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.play(testFork, 1, testFrom)
	e.play(testFork, 2, testFrom)
	e.Exec(`update plays set score = 0, passed = false, completed_at = started_at where player = 2`)
	s, err := e.statistics(t.Context(), query(testFrom, 1, ""))
	require.NoError(t, err)
	require.Equal(t, DailyStat{Date: "2023-11-20", Plays: 2, Completed: 1}, s.Daily[0])
	for _, p := range s.Players() {
		require.Equal(t, p.Label == "Player 2", p.Completed)
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
