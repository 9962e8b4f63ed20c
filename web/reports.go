package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
	"dg/platform/authz"
)

func (h *Handler) mountReports(router routes) {
	router.Get("/reports", h.member(authz.ListForks, h.listReports))
	router.Get("/reports/:fork", h.member(authz.ReadReport, h.showDashboard))
	router.Get("/reports/:fork/plays.csv", h.member(authz.ExportReport, h.downloadPlays))
}

// reportsView is the list of the organisation's forks.
type reportsView struct {
	layout
	pager
	Forks []forkRow
}

type forkRow struct {
	Path, Title, Slug string
	State, Mark       string // in words, and the class of its mark
	SeenBy, Release   string
	Plays             string
	Changed           time.Time
	archived          bool
	plays             int64
}

// forksOnPage is how many forks a page has.
const forksOnPage = 100

// listReports shows the organisation's forks: those that are played most first, archived ones last.
func (h *Handler) listReports(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	forks, err := h.Games.Forks(ctx, p.Organisation.ID)
	if err != nil {
		return err
	}
	plays, err := h.Reports.PlaysOfForks(ctx, p.Organisation.ID, lastDays(h.today(), usualDays))
	if err != nil {
		return err
	}
	rows := make([]forkRow, len(forks))
	for i, f := range forks {
		rows[i] = newForkRow(f, plays[f.ID], p.path("/reports/"+f.ID))
	}
	slices.SortStableFunc(rows, func(a, b forkRow) int {
		return cmp.Or(rank(a.archived)-rank(b.archived), cmp.Compare(b.plays, a.plays), strings.Compare(a.Title, b.Title))
	})
	pages := newPager(c, len(rows), forksOnPage, func(page int) string { return p.path("/reports?page=" + strconv.Itoa(page)) })
	view := reportsView{layout: h.layout(p, "Reports", areaReports), pager: pages, Forks: rows[pages.from:pages.to]}
	return h.render(c, fiber.StatusOK, "reports", &view)
}

func newForkRow(f games.Fork, plays int64, path string) forkRow {
	r := forkRow{
		Path: path, Title: f.Title, Slug: f.Slug, State: "Active", Mark: "on", SeenBy: seenBy[f.Visibility], Release: "None",
		Plays: count(plays), Changed: f.UpdatedAt, archived: f.Status == "archived", plays: plays,
	}
	switch {
	case r.archived:
		r.State, r.Mark = "Archived", ""
	case f.Suspended:
		r.State, r.Mark = "Suspended", "held"
	}
	if f.DeployedRelease != nil {
		r.Release = count(int64(*f.DeployedRelease))
	}
	return r
}

// seenBy are the visibilities of a fork in words.
var seenBy = map[string]string{"public": "Everyone", "organization": "The organisation", "restricted": "Chosen groups"}
