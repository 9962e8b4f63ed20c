package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/web/ui"
)

type reportsView struct {
	ui.Layout
	list[forkRow]
	Figures    []figure
	Period     string      // the days that the figures cover, in words
	Counted    bool        // whether players and results are counted; false if there are too many plays
	Comparison *comparison // nil: the earlier period has no plays
	HasGroups  bool
	Answer     []clause
}

// ListReports handles GET /reports: the organisation's forks, and figures over all of them.
func (h *Handler) ListReports(c *fiber.Ctx, p *ui.Principal) error {
	allForks, err := h.ForksOf(c.UserContext(), p)
	if err != nil {
		return err
	}
	u, err := parsePageURL(c, p.Path("/reports"))
	if err != nil {
		return err
	}
	period := lastDays(h.Today(), defaultDays)
	overview, err := h.Reports.Overview(c.UserContext(),
		reports.Query{OrganisationID: p.Organisation.ID, Period: period, Position: p.Position})
	if err != nil {
		return err
	}
	view := &reportsView{Layout: ui.NewLayout(p, "Reports", ui.AreaReports), Period: ui.Period(period),
		Counted: overview.Counted, Comparison: compareOverview(period, overview)}
	view.Figures = overviewFigures(overview, view.Comparison)
	groups, err := h.GroupsOf(c.UserContext(), p, reports.ReadReport, "")
	if err != nil {
		return err
	}
	view.HasGroups = len(groups) > 0
	rows := make([]forkRow, len(allForks))
	for i, f := range allForks {
		rows[i] = newForkRow(f, overview.Forks[f.ID], p.Path("/reports/"+f.ID))
	}
	slices.SortFunc(rows, func(a, b forkRow) int {
		return cmp.Or(strings.Compare(a.Title, b.Title), strings.Compare(a.Path, b.Path))
	})
	view.Answer = newListAnswer(*statisticsOf(overview.Current), view.Comparison, rows)
	view.list = forks.page(u, rows)
	return h.Render(c, fiber.StatusOK, "reports", view)
}

func compareOverview(p reports.Period, o reports.Overview) *comparison {
	if o.Earlier.Plays == 0 {
		return nil
	}
	return &comparison{EarlierDays: ui.Period(lastDays(p.From, p.Days)), earlierStats: statisticsOf(o.Earlier)}
}

func overviewFigures(o reports.Overview, c *comparison) []figure {
	selected := []measure{plays, uniquePlayers, passRate}
	if !o.Counted {
		selected = selected[:1]
	}
	return newFigures(*statisticsOf(o.Current), c, selected...)
}

func statisticsOf(t reports.OverviewTotals) *reports.Statistics {
	return &reports.Statistics{Plays: t.Plays, UniquePlayers: t.Players, Completed: t.Completed, Passed: t.Passed}
}
