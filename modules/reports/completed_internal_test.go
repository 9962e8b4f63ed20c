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
	days := []DailyStat{{"1", 3, 1, 10_000, 1000}, {Date: "2"}, {"3", 4, 2, 1, 0}}
	require.Equal(t, DailyStat{"1", 7, 3, 10_001, 333}, SumDays(days))
	require.Equal(t, DailyStat{Date: "2"}, SumDays(days[1:2]))
}
