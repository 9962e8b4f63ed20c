package reports

import (
	"context"
	"time"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/web/ui"
)

// menuBar has the menus of group, period and comparison, and the download of a screen.
type menuBar struct {
	pageURL
	Groups            []org.Group
	ListedGroups      int           // org.MaxGroups if there may be more groups, else 0
	GroupName         string        // "" for all players
	PeriodError       *apperr.Error // nil if the period is valid
	Presets           []ui.Link
	PeriodName        string      // name of the preset, or ""
	Period            string      // the period in words
	FirstDay, LastDay string      // as the fields of the dates
	Comparison        *comparison // nil if nothing is compared
	Compares          bool        // whether a comparison is selected
	Comparisons       []ui.Link
	Download          ui.Download
	// groupPlayers has the number of players of each group that is not hidden. It is nil if unknown.
	groupPlayers map[string]int64
}

// addPeriods adds the menu of periods. Presets without a day before the day until are left out.
func (b *menuBar) addPeriods(selected reports.Period, today, until time.Time) {
	b.FirstDay, b.LastDay = b.Param("from"), b.Param("to")
	if b.PeriodError == nil {
		b.FirstDay, b.LastDay = selected.Day(0), selected.Day(selected.Days-1)
	}
	for _, preset := range presets(today) {
		if !preset.period.From.Before(until) {
			continue
		}
		b.Presets = append(b.Presets, ui.Link{Name: preset.name,
			Path: b.withPeriod(preset.period).Path(), Current: preset.period == selected})
		if preset.period == selected && b.PeriodName == "" {
			b.PeriodName = preset.name
		}
	}
}

func (b *menuBar) addComparisons(today time.Time) {
	choice := b.Param("compare")
	b.Compares = choice != compareOff
	for _, c := range comparisons {
		b.Comparisons = append(b.Comparisons,
			ui.Link{Name: c.name, Path: b.Path("compare", c.key), Current: c.key == choice})
	}
	b.Comparisons = append(b.Comparisons, ui.Link{Name: "Last quarter, 52 weeks earlier",
		Path: b.withPeriod(presetNamed(today, "Last quarter")).Path("compare", compareYear)})
}

func (h *Handler) addGroups(ctx context.Context, p *ui.Principal, b *menuBar) (err error) {
	b.Groups, err = h.GroupsOf(ctx, p, reports.ReadReport, b.Param("groupId"))
	if len(b.Groups) >= org.MaxGroups {
		b.ListedGroups = org.MaxGroups
	}
	for _, g := range b.Groups {
		if g.ID == b.Param("groupId") {
			b.GroupName = g.Name
		}
	}
	return err
}

// Played returns the number of a group's members who played, such as "12 players". It returns
// "Hidden" for a suppressed group, and "" if the numbers are unknown.
func (b *menuBar) Played(groupID string) string {
	switch n := b.groupPlayers[groupID]; {
	case b.groupPlayers == nil:
		return ""
	case n == 0:
		return "Hidden"
	default:
		return ui.Count(n) + " players"
	}
}
