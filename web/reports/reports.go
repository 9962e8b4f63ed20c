package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/web/ui"
)

// reportsView is the list of the organisation's forks below the overview of all.
type reportsView struct {
	ui.Layout
	list[forkRow]
	Figures    []figure
	Period     string      // of the figures, in words
	Counted    bool        // the players are known
	Comparison *comparison // nil: there were no plays before
}

// ListReports handles GET /reports: the organisation's forks.
func (h *Handler) ListReports(c *fiber.Ctx, p *ui.Principal) error {
	all, err := ui.ForksOf(c.UserContext(), h.Forks, p)
	if err != nil {
		return err
	}
	at, err := parsePageURL(c, p.Path("/reports"))
	if err != nil {
		return err
	}
	ui.ReleaseSlot(c) // the overview takes a slot of the reports
	period := ui.LastDays(h.Today(), ui.DefaultDays)
	overview, err := h.Reports.Overview(c.UserContext(), reports.Query{
		OrganisationID: p.Organisation.ID,
		Period:         period,
		Position:       p.Position,
	})
	if err != nil {
		return err
	}
	view := &reportsView{
		Layout:     ui.NewLayout(p, "Reports", ui.AreaReports),
		Period:     ui.Period(period),
		Counted:    overview.Counted,
		Comparison: compareOverview(period, overview),
	}
	view.Figures = overviewFigures(overview, view.Comparison)
	rows := make([]forkRow, len(all))
	var top int64 // plays of a fork in a week
	for _, o := range overview.Forks {
		top = max(top, slices.Max(o.Weeks[:]))
	}
	for i, f := range all {
		rows[i] = newForkRow(f, overview.Forks[f.ID], top, p.Path("/reports/"+f.ID))
	}
	slices.SortFunc(rows, func(a, b forkRow) int {
		return cmp.Or(strings.Compare(a.Title, b.Title), strings.Compare(a.Path, b.Path))
	})
	view.list = forks.page(at, rows)
	return h.Render(c, fiber.StatusOK, "reports", view)
}

// compareOverview compares the last 28 days with the 28 before.
func compareOverview(p reports.Period, o reports.Overview) *comparison {
	if o.Earlier.Plays == 0 {
		return nil
	}
	return &comparison{EarlierDays: ui.Period(ui.LastDays(p.From, p.Days)), earlier: totals(o.Earlier)}
}

// overviewFigures returns the figures of all forks in the last 28 days.
func overviewFigures(o reports.Overview, c *comparison) []figure {
	all := newFigures(*totals(o.Current), c)
	if !o.Counted {
		return all[:1]
	}
	return []figure{all[0], all[1], all[3]} // plays, players, completion
}

func totals(t reports.OverviewTotals) *reports.Statistics {
	return &reports.Statistics{
		Plays:          t.Plays,
		UniquePlayers:  t.Players,
		Completed:      t.Completed,
		CompletionRate: t.CompletionRate,
	}
}
