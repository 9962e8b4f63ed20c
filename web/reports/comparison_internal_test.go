package reports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
	"dg/web/ui"
)

// A difference has a sign, a word and the figure before it. Where there is nothing to average there
// is neither figure nor difference.
func TestFiguresAreComparedInWords(t *testing.T) {
	t.Parallel()
	changes := func(l ui.Locale, now reports.Statistics,
		before *reports.Statistics) (all []string) {
		for _, f := range newFigures(l, now, before) {
			all = append(all, f.Value+"|"+f.Meaning+"|"+f.Change)
		}
		return all
	}
	now := reports.Statistics{
		Plays: 163, UniquePlayers: 20, Completed: 100, AvgScore: 687, CompletionRate: 6135,
		PassRate: 5000,
	}
	before := reports.Statistics{
		Plays: 151, UniquePlayers: 25, Completed: 90, AvgScore: 674, CompletionRate: 5960,
		PassRate: 5000,
	}
	require.Equal(t, []string{
		"163|started, including unfinished|+12, up 8% from 151", "20|unique|−5, down 20% from 25",
		"68.7%|of completed plays|+1.3 percentage points, up from 67.4%",
		"61.35%|of all plays|+1.75 percentage points, up from 59.60%",
		"50.00%|of completed plays|unchanged from 50.00%",
	}, changes(ui.Locales[0], now, &before))
	require.Equal(t, "20|unique|", changes(ui.Locales[0], now, nil)[1],
		"without a comparison there is no word of one")
	require.Equal(t, "61,35\u00a0%|of all plays|+1,75 percentage points, up from 59,60\u00a0%",
		changes(ui.NewLocale("de-DE", ""), now, &before)[3])

	unfinished := reports.Statistics{Plays: 15_001, UniquePlayers: 20}
	many := reports.Statistics{Plays: 15_000, UniquePlayers: 20, Completed: 1, AvgScore: 100}
	require.Equal(t, []string{
		"15,001|started, including unfinished|+1, up less than 1% from 15,000",
		"20|unique|unchanged from 20", "–|no completed plays|no comparison",
		"0.00%|of all plays|unchanged from 0.00%", "–|no completed plays|no comparison",
	}, changes(ui.Locales[0], unfinished, &many))
	require.Equal(t, "10.0%|of completed plays|no comparison",
		changes(ui.Locales[0], many, &unfinished)[2])
	require.Equal(t,
		[]string{"0|started, including unfinished|−151, down 100% from 151",
			"0|unique|−25, down 100% from 25",
			"–|no completed plays|no comparison", "–|no plays|no comparison",
			"–|no completed plays|no comparison"},
		changes(ui.Locales[0], reports.Statistics{}, &before))
}

// The previous period has as many days and ends on the day before; none begins before 2000.
func TestPreviousPeriod(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]string{
		1:   "2026-02-28_2026-02-28",
		28:  "2026-02-01_2026-02-28",
		366: "2025-02-28_2026-02-28",
	} {
		p, ok := previousPeriod(reports.Period{
			From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Days: days,
		})
		require.True(t, ok)
		require.Equal(t, want, p.String())
	}
	_, ok := previousPeriod(reports.Period{
		From: time.Date(2000, 1, 29, 0, 0, 0, 0, time.UTC), Days: 28,
	})
	require.True(t, ok)
	_, ok = previousPeriod(reports.Period{
		From: time.Date(2000, 1, 28, 0, 0, 0, 0, time.UTC), Days: 28,
	})
	require.False(t, ok)
}

// Of an organisation with too many plays the overview knows no players: there is nothing to
// compare, of now or of before.
func TestOverviewOfUncountedPlayersComparesPlays(t *testing.T) {
	t.Parallel()
	o := reports.Overview{
		Now: reports.OverviewTotals{Plays: 300_000}, Before: reports.OverviewTotals{Plays: 250_000},
	}
	require.Equal(t,
		[]figure{{"Plays", "300,000", "in 28 days, all forks", "+50,000, up 20% from 250,000"}},
		overviewFigures(ui.Locales[0], o))
	o.Before = reports.OverviewTotals{}
	require.Equal(t, []figure{{"Plays", "300,000", "in 28 days, all forks", ""}},
		overviewFigures(ui.Locales[0], o))
}
