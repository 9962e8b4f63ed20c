package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Formats: half away from zero, once, at the end.
func TestFiguresAreRoundedHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	for want, got := range map[string][]byte{
		"0":      meanScore(0, 0).Append(nil),
		"62.6":   meanScore(6255, 1).Append(nil), // a half goes up
		"99.9":   meanScore(9994, 1).Append(nil),
		"33.3":   meanScore(10_000, 3).Append(nil),
		"0.6667": rate(2, 3).Append(nil),
		"1":      rate(7, 7).Append(nil),
		"0.0001": rate(1, 20_000).Append(nil), // a half goes up
		"12.4":   roundScore(1235).Append(nil),
	} {
		require.Equal(t, want, string(got))
	}
	require.Equal(t, Rate(0), rate(0, 0))
	const plays = 1_000_000_000 // without overflow
	require.Equal(t, Percent(1000), meanScore(10_000*plays, plays))
	require.Equal(t, Rate(10_000), rate(plays, plays))
}

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
