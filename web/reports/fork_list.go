package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/input"
	"dg/web/ui"
)

type forkRow struct {
	games.Fork
	Path           string
	State          forkState
	Plays, Players int64
	By             int64   // plays more or fewer than in the four weeks before
	Change         *change // nil: there were no plays before
	Score          string
	scoreKey       reports.Percent // -1: no completed play
	Weeks          ui.Sparkline
	WeeksLabel     string
	sortTitle      string // the title in lower case and without accents
}

func newForkRow(f games.Fork, o *reports.ForkOverview, path string) forkRow {
	if o == nil {
		o = &reports.ForkOverview{} // the overview was read from a snapshot without the fork
	}
	row := forkRow{
		Fork:       f,
		Path:       path,
		State:      stateOf(f),
		Plays:      o.Plays(),
		Players:    o.Players,
		By:         o.Plays() - o.Earlier(),
		Score:      "–",
		scoreKey:   -1,
		Weeks:      ui.NewSparkline(o.Weeks[:], slices.Max(o.Weeks[:])),
		WeeksLabel: weeksLabel(o.Weeks[:]),
		sortTitle:  input.Fold(f.Title),
	}
	if o.Completed > 0 {
		row.scoreKey = o.AvgScore
		row.Score = ui.Percent(o.AvgScore)
	}
	if o.Earlier() > 0 {
		before := &comparison{earlierStats: &reports.Statistics{Plays: o.Earlier()}}
		row.Change = plays.change(reports.Statistics{Plays: o.Plays()}, before)
	}
	return row
}

type forkState struct{ Name, Mark string } // Mark: the CSS class

func stateOf(f games.Fork) forkState {
	switch {
	case f.Status == "archived":
		return forkState{"Archived", ""}
	case f.Suspended:
		return forkState{"Suspended", "held"}
	}
	return forkState{"Active", "on"}
}

var forks = listing[forkRow]{
	plural: "forks",
	columns: []column[forkRow]{
		{"Fork", "title", false,
			func(a, b forkRow) int { return strings.Compare(a.sortTitle, b.sortTitle) }},
		{"12 weeks", "", false, nil},
		{"Plays", "-plays", true, func(a, b forkRow) int { return cmp.Compare(a.Plays, b.Plays) }},
		{"Change", "-change", true, func(a, b forkRow) int { return cmp.Compare(a.By, b.By) }},
		{"Players", "-players", true,
			func(a, b forkRow) int { return cmp.Compare(a.Players, b.Players) }},
		{"Score", "-score", true, func(a, b forkRow) int { return cmp.Compare(a.scoreKey, b.scoreKey) }},
		{"Status", "", false, nil},
		{"Updated", "-updated", true,
			func(a, b forkRow) int { return a.UpdatedAt.Compare(b.UpdatedAt) }},
	},
	defaultSort:     "-plays",
	search:          "q",
	text:            func(r forkRow) string { return r.Title },
	searchThreshold: 5,
	perPage:         100,
}

func weeksLabel(weeks []int64) string {
	words := make([]string, len(weeks))
	for i, n := range weeks {
		words[i] = ui.Count(n)
	}
	return fmt.Sprintf("Plays in each of the last 12 weeks, until yesterday: %s", strings.Join(words, ", "))
}
