package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/input"
	"dg/web/ui"
)

type forkRow struct {
	games.Fork
	reports.Statistics
	Path             string
	State            forkState
	difference       int64   // difference to the plays of the earlier period
	Change           *change // nil if the earlier period had no plays
	Score, PassLabel string
	Weeks            ui.Sparkline
	WeeksLabel       string
	sortTitle        string // the title in lower case and without accents
}

// newForkRow returns the row of a fork, whose weeks end on the day last.
func newForkRow(f games.Fork, o *reports.ForkOverview, path string, last time.Time) forkRow {
	o = cmp.Or(o, &reports.ForkOverview{}) // the overview's snapshot may not have the fork
	row := forkRow{
		Fork:       f,
		Statistics: o.Statistics,
		Path:       path,
		State:      stateOf(f),
		difference: o.Plays - o.EarlierPlays,
		Score:      score.text(o.Statistics),
		PassLabel:  passRate.text(o.Statistics),
		Weeks:      ui.NewSparkline(o.Weeks[:], slices.Max(o.Weeks[:])),
		WeeksLabel: weeksLabel(o.Weeks[:], last),
		sortTitle:  input.Fold(f.Title),
	}
	if o.EarlierPlays > 0 {
		row.Change = plays.change(o.Statistics, &comparison{earlierStats: &reports.Statistics{Plays: o.EarlierPlays}})
	}
	return row
}

type forkState struct{ Name, Mark string } // Mark is the CSS class

func stateOf(f games.Fork) forkState {
	switch {
	case f.Status == "archived":
		return forkState{"Archived", "past"}
	case f.Suspended:
		return forkState{"Suspended", "held"}
	}
	return forkState{"Active", "on"}
}

// byMeasure sorts forks without a value below 0.0%.
func byMeasure(m measure) func(a, b forkRow) int {
	key := func(r forkRow) int64 {
		if n, ok := m.read(r.Statistics); ok {
			return n
		}
		return -1
	}
	return func(a, b forkRow) int { return cmp.Compare(key(a), key(b)) }
}

var forks = listSpec[forkRow]{
	plural: "reports",
	columns: []column[forkRow]{
		{"Report", "title", func(a, b forkRow) int { return strings.Compare(a.sortTitle, b.sortTitle) }},
		{"12 weeks", "", nil},
		{"Plays", "-plays", byMeasure(plays)},
		{"Change", "-change", func(a, b forkRow) int { return cmp.Compare(a.difference, b.difference) }},
		{"Players", "-players", byMeasure(uniquePlayers)},
		{"Score", "-score", byMeasure(score)},
		{"Pass rate", "-pass", byMeasure(passRate)},
		{"Status", "", nil},
	},
	defaultSort:     "-plays",
	search:          "q",
	text:            func(r forkRow) string { return r.Title },
	searchThreshold: 10,
	perPage:         100,
}

func weeksLabel(weeks []int64, last time.Time) string {
	counts := make([]string, len(weeks))
	for i, n := range weeks {
		counts[i] = ui.Count(n)
	}
	return fmt.Sprintf("Plays in each of the 12 weeks until %s: %s", ui.Day(last), strings.Join(counts, ", "))
}
