package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
)

// reportsView is the list of the organisation's forks.
type reportsView struct {
	layout
	pager
	Forks []forkRow
}

type forkRow struct {
	Path, Title, Slug   string
	Status, Mark        string // Mark is the CSS class
	Visibility, Release string
	Plays               string
	Updated             time.Time
	archived            bool
	plays               int64
}

const forksPerPage = 100

// listReports answers GET /reports: the organisation's forks by plays, archived ones last.
func (h *Handler) listReports(c *fiber.Ctx, p *principal) error {
	forks, err := h.forks(c.UserContext(), p)
	if err != nil {
		return err
	}
	plays, err := h.Reports.PlaysOfForks(c.UserContext(), p.Organisation.ID, lastDays(h.today(), defaultDays), p.position)
	if err != nil {
		return err
	}
	rows := make([]forkRow, len(forks))
	for i, f := range forks {
		rows[i] = newForkRow(p.locale, f, plays[f.ID], p.path("/reports/"+f.ID))
	}
	slices.SortStableFunc(rows, func(a, b forkRow) int {
		return cmp.Or(compareBool(a.archived, b.archived), cmp.Compare(b.plays, a.plays), strings.Compare(a.Title, b.Title))
	})
	pages := newPager(c, len(rows), forksPerPage, func(page int) string { return p.path("/reports?page=" + strconv.Itoa(page)) })
	view := reportsView{layout: newLayout(p, "Reports", areaReports), pager: pages, Forks: rows[pages.from:pages.to]}
	return h.render(c, fiber.StatusOK, "reports", &view)
}

func newForkRow(l locale, f games.Fork, plays int64, path string) forkRow {
	r := forkRow{
		Path: path, Title: f.Title, Slug: f.Slug, Status: "Active", Mark: "on", Visibility: visibilityLabels[f.Visibility], Release: "None",
		Plays: l.Count(plays), Updated: f.UpdatedAt, archived: f.Status == "archived", plays: plays,
	}
	switch {
	case r.archived:
		r.Status, r.Mark = "Archived", ""
	case f.Suspended:
		r.Status, r.Mark = "Suspended", "held"
	}
	if f.DeployedRelease != nil {
		r.Release = l.Count(int64(*f.DeployedRelease))
	}
	return r
}

var visibilityLabels = map[string]string{"public": "Public", "organization": "Organisation", "restricted": "Restricted"}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
