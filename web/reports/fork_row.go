package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/input"
	"dg/web/ui"
)

// forkRow is a fork in the list of reports.
type forkRow struct {
	Path, Title, Slug   string
	Status, Mark        string // Mark is the CSS class
	Visibility, Release string
	Plays, Players      string
	Weeks               sparkline
	Updated             time.Time

	folded         string // the title, as it is sorted
	archived       bool
	plays, players int64
}

func newForkRow(f games.Fork, o *reports.ForkOverview, path string) forkRow {
	if o == nil {
		o = &reports.ForkOverview{} // the fork is newer than the overview
	}
	r := forkRow{
		Path:       path,
		Title:      f.Title,
		Slug:       f.Slug,
		Status:     "Active",
		Mark:       "on",
		Visibility: visibilityLabels[f.Visibility],
		Release:    "None",
		Plays:      ui.Count(o.Plays()),
		Players:    ui.Count(o.Players),
		Weeks:      newSparkline(o.Weeks[:]),
		Updated:    f.UpdatedAt,
		folded:     input.Fold(f.Title),
		archived:   f.Status == "archived",
		plays:      o.Plays(),
		players:    o.Players,
	}
	switch {
	case r.archived:
		r.Status = "Archived"
		r.Mark = ""
	case f.Suspended:
		r.Status = "Suspended"
		r.Mark = "held"
	}
	if f.DeployedRelease != nil {
		r.Release = ui.Count(int64(*f.DeployedRelease))
	}
	return r
}

var visibilityLabels = map[string]string{
	"public":       "Public",
	"organization": "Organisation",
	"restricted":   "Restricted",
}

// sparkline is a small chart of bars, and its figures in words.
type sparkline struct{ Bars, Label string }

// sparkHeight is the height of the highest bar. Any bar is at least 1 high, so that few plays are
// seen beside many.
const sparkHeight = 16

func newSparkline(weeks []int64) sparkline {
	most := max(1, slices.Max(weeks))
	bars := strings.Builder{}
	words := make([]string, len(weeks))
	for i, n := range weeks {
		words[i] = ui.Count(n)
		if n > 0 {
			high := max(1, (n*sparkHeight+most/2)/most)
			fmt.Fprintf(&bars, "M%d %dv-%dh4v%dz", 6*i, sparkHeight, high, high)
		}
	}
	if bars.Len() == 0 {
		return sparkline{Label: "No plays in 12 weeks"}
	}
	return sparkline{
		bars.String(),
		fmt.Sprintf("Plays in each of 12 weeks, the last one until today: %s",
			strings.Join(words, ", ")),
	}
}
