package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/input"
	"dg/web/ui"
)

// reportsView is the list of the organisation's forks below the overview of all.
type reportsView struct {
	ui.Layout
	ui.Pager
	Figures    []figure
	Period     string      // of the figures, in words
	Counted    bool        // the players are known
	Comparison *comparison // nil: there were no plays before

	Searchable  bool // there is more to see than at one glance
	Search      string
	Found, All  string // what a search found, and the path of all forks
	Form        string
	Kept        []param
	Archived    string // says that archived forks are folded or shown, or "" without any
	ArchiveLink ui.Link

	Columns []columnHead
	Forks   []forkRow
}

const (
	forksPerPage = 100
	fewForks     = 5 // are seen at one glance
)

// ListReports answers GET /reports: the organisation's forks, archived ones last and folded unless
// a search finds them.
func (h *Handler) ListReports(c *fiber.Ctx, p *ui.Principal) error {
	forks, err := ui.ForksOf(c.UserContext(), h.Forks, p)
	if err != nil {
		return err
	}
	ui.ReleasePlace(c) // an overview has a place among the reports
	period := ui.LastDays(h.Today(), ui.DefaultDays)
	overview, err := h.overview(c, p, period)
	if err != nil {
		return err
	}
	complete := ui.LastDays(h.Today().AddDate(0, 0, -1), ui.DefaultDays)
	untilYesterday, err := h.overview(c, p, complete)
	if err != nil {
		return err
	}
	comparison := compareOverview(complete, untilYesterday)
	rows := make([]forkRow, len(forks))
	for i, f := range forks {
		rows[i] = newForkRow(f, overview.Forks[f.ID], p.Path("/reports/"+f.ID))
	}
	view := &reportsView{
		Layout:     ui.NewLayout(p, "Reports", ui.AreaReports),
		Period:     ui.Period(period),
		Counted:    overview.Counted,
		Comparison: comparison,
		Figures:    overviewFigures(overview, comparison),
	}
	view.list(c, rows, newListAddress(c, p.Path("/reports")))
	return h.Render(c, fiber.StatusOK, "reports", view)
}

func (h *Handler) overview(
	c *fiber.Ctx, p *ui.Principal, period reports.Period,
) (reports.Overview, error) {
	return h.Reports.Overview(c.UserContext(), reports.Query{
		OrganisationID: p.Organisation.ID,
		Period:         period,
		Position:       p.Position,
	})
}

// list finds and sorts the forks, and shows the page of the address.
func (v *reportsView) list(c *fiber.Ctx, all []forkRow, at listAddress) {
	v.Search = at.chosen.Get("q")
	v.Form = at.self
	v.Kept = at.kept("q")
	v.All = at.path("", "q", "")
	v.Searchable = v.Search != "" || len(all) > fewForks
	found := findForks(all, v.Search)
	v.Found = fmt.Sprintf("%s of %s forks.", ui.Count(int64(len(found))),
		ui.Count(int64(len(all))))
	if v.Search == "" {
		found = v.foldArchived(found, at)
	}
	columns := forkColumns
	if !v.Counted {
		columns = slices.DeleteFunc(slices.Clone(columns), func(s sortColumn[forkRow]) bool {
			return s.key == "players"
		})
	}
	o := parseOrder(c, columns, forksByPlays)
	slices.SortFunc(found, func(a, b forkRow) int {
		return cmp.Or(strings.Compare(a.Title, b.Title), strings.Compare(a.Path, b.Path))
	})
	o.sort(found)
	slices.SortStableFunc(found, func(a, b forkRow) int {
		return ui.CompareBool(a.archived, b.archived)
	})
	v.Pager = ui.NewPager(c, len(found), forksPerPage, func(page int) string {
		return at.path("", append(o.params(), "page", strconv.Itoa(page))...)
	})
	v.Columns = o.heads(func(order ...string) string { return at.path("", order...) })
	v.Forks = found[v.From:v.To]
}

const showArchived = "show"

// foldArchived leaves archived forks out unless the reader unfolded them, or there are no others.
func (v *reportsView) foldArchived(all []forkRow, at listAddress) []forkRow {
	active := slices.DeleteFunc(slices.Clone(all), func(r forkRow) bool { return r.archived })
	n := len(all) - len(active)
	if n == 0 || len(active) == 0 {
		return all
	}
	v.Archived = ui.Plural(int64(n), "%s archived fork", "%s archived forks")
	if at.chosen.Get("archived") == showArchived {
		v.ArchiveLink = ui.Link{Name: "Hide", Path: at.path("", "archived", "")}
		return all
	}
	v.ArchiveLink = ui.Link{Name: "Show", Path: at.path("", "archived", showArchived)}
	return active
}

// findForks returns the forks whose title or slug contains the text.
func findForks(forks []forkRow, text string) []forkRow {
	if text = input.Fold(text); text == "" {
		return forks
	}
	return slices.DeleteFunc(slices.Clone(forks), func(r forkRow) bool {
		return !strings.Contains(input.Fold(r.Title), text) &&
			!strings.Contains(input.Fold(r.Slug), text)
	})
}

const forksByPlays = 2

var forkColumns = []sortColumn[forkRow]{
	{"Fork", "title", false, false, func(a, b forkRow) int { return strings.Compare(a.folded, b.folded) }},
	{"12 weeks", "", false, false, nil},
	{"Plays", "plays", true, true, func(a, b forkRow) int { return cmp.Compare(a.plays, b.plays) }},
	{"Players", "players", true, true, func(a, b forkRow) int { return cmp.Compare(a.players, b.players) }},
	{"Status", "", false, false, nil},
	{"Visibility", "", false, false, nil},
	{"Release", "", true, false, nil},
	{"Updated", "updated", true, true, func(a, b forkRow) int { return a.Updated.Compare(b.Updated) }},
}

// compareOverview compares the last 28 complete days with the 28 before.
func compareOverview(complete reports.Period, o reports.Overview) *comparison {
	if o.Before.Plays == 0 {
		return nil
	}
	earlier := ui.LastDays(complete.From.AddDate(0, 0, -1), complete.Days)
	return &comparison{ui.Period(complete), ui.Period(earlier), totals(o.Now), totals(o.Before)}
}

// overviewFigures returns the figures of all forks in the last 28 days.
func overviewFigures(o reports.Overview, c *comparison) []figure {
	all := newFigures(*totals(o.Now), c)
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
