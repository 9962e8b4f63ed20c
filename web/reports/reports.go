package reports

import (
	"cmp"
	"embed"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the reports of an organisation.
type Handler struct{ ui.Base }

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates)} }

type reportsView struct {
	ui.Layout
	menuBar
	listPage[forkRow]
	Figures   []figure
	Weeks     ui.Sparkline // plays of all forks
	Counted   bool         // whether players and results are counted; false if there are too many plays
	HasGroups bool
	Answer    []clause
	// starts of the period and of the earlier one, as shares of the 12 weeks; equal unless one follows the other
	NowFrom, BeforeFrom float64
}

// ListReports handles GET /reports: the organisation's forks, and figures over all of them. It counts
// complete days.
func (h *Handler) ListReports(c *fiber.Ctx, p *ui.Principal) error {
	u, err := parsePageURL(c, p.Path("/reports"))
	if err != nil {
		return err
	}
	view := &reportsView{Layout: ui.NewLayout(p, "Reports", ui.AreaReports)}
	view.pageURL = u
	today := h.Today()
	period, err := u.period(today)
	complete, earlier, compared := comparedPeriods(period, u.Param("compare"), today)
	if err == nil && complete.Days < 1 {
		err = apperr.NewField("to", "The list of reports counts complete days. Choose days before today.")
	}
	invalid := errors.As(err, &view.PeriodError)
	view.addPeriods(period, today, today)
	if invalid {
		view.Title = ui.TitleOf(view.Title, fiber.StatusBadRequest)
		return h.Render(c, fiber.StatusBadRequest, "reports", view)
	}
	if !compared {
		earlier = reports.Period{}
	}
	view.Period = ui.Period(complete)
	return h.listReports(c, p, view, complete, earlier)
}

func (h *Handler) listReports(
	c *fiber.Ctx, p *ui.Principal, view *reportsView, period, earlier reports.Period,
) error {
	allForks, err := h.ForksOf(c.UserContext(), p)
	if err != nil {
		return err
	}
	overview, err := h.Reports.Overview(c.UserContext(),
		reports.Query{OrganisationID: p.Organisation.ID, Period: period, Position: p.Position}, earlier)
	if err != nil {
		return err
	}
	view.Counted = overview.Counted
	view.addComparisons(h.Today())
	view.colourWeeks(period, earlier)
	view.Comparison = newComparison(overview.Earlier, earlier, view.Param("compare"))
	view.Figures = overviewFigures(overview, view.Comparison)
	groups, err := h.GroupsOf(c.UserContext(), p, reports.ReadReport, "")
	if err != nil {
		return err
	}
	view.HasGroups = len(groups) > 0
	rows := make([]forkRow, len(allForks))
	for i, f := range allForks {
		rows[i] = newForkRow(f, overview.Forks[f.ID], view.at(p.Path("/reports/"+f.ID)).Path(),
			period.End().AddDate(0, 0, -1))
	}
	var weeks [reports.OverviewWeeks]int64
	for _, o := range overview.Forks {
		for i, n := range o.Weeks {
			weeks[i] += n
		}
	}
	view.Weeks = ui.NewSparkline(weeks[:], slices.Max(weeks[:]))
	slices.SortFunc(rows, func(a, b forkRow) int {
		return cmp.Or(strings.Compare(a.Title, b.Title), strings.Compare(a.Path, b.Path))
	})
	view.Answer = newForksAnswer(overview.Current, view.Comparison, rows)
	view.listPage = forks.page(view.pageURL, rows)
	return h.Render(c, fiber.StatusOK, "reports", view)
}

// colourWeeks rounds the periods to whole weeks, at least one.
func (v *reportsView) colourWeeks(period, earlier reports.Period) {
	share := func(p reports.Period) float64 {
		return float64(max(1, (p.Days+daysPerWeek/2)/daysPerWeek)) / reports.OverviewWeeks
	}
	v.NowFrom = max(0, 1-share(period))
	v.BeforeFrom = v.NowFrom
	if gap := period.From.Sub(earlier.End()); earlier.Days > 0 && gap < daysPerWeek*24*time.Hour {
		v.BeforeFrom = max(0, v.NowFrom-share(earlier))
	}
}

func overviewFigures(o reports.Overview, c *comparison) []figure {
	if !o.Counted {
		return newFigures(o.Current, c, plays)
	}
	figures := newFigures(o.Current, c, plays, uniquePlayers, passRate)
	figures[1].Note = "counted once"
	return figures
}
