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

func (s *Site) mountReports(router routes) {
	router.Get("/reports", s.member(authz.ListForks, s.listReports))
	router.Get("/reports/:fork", s.member(authz.ReadReport, s.showDashboard))
	router.Get("/reports/:fork/plays.csv", s.member(authz.ExportReport, s.downloadPlays))
}

// reportsView is the list of the organisation's forks.
type reportsView struct {
	shell
	Forks          []forkRow
	Shown          string // 1–100 of 240
	Previous, Next string // paths, or ""
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
func (s *Site) listReports(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	forks, err := s.Games.Forks(ctx, v.Organisation.ID)
	if err != nil {
		return err
	}
	plays, err := s.Reports.PlaysOfForks(ctx, v.Organisation.ID, lastDays(s.today(), usualDays))
	if err != nil {
		return err
	}
	rows := make([]forkRow, len(forks))
	for i, f := range forks {
		rows[i] = newForkRow(f, plays[f.ID], v.path("/reports/"+f.ID))
	}
	slices.SortStableFunc(rows, func(a, b forkRow) int {
		return cmp.Or(rank(a.archived)-rank(b.archived), cmp.Compare(b.plays, a.plays), strings.Compare(a.Title, b.Title))
	})
	p := newPager(len(rows), forksOnPage, pageIn(c))
	view := reportsView{shell: s.shell(v, "Reports", areaReports), Forks: rows[p.from:p.to], Shown: p.shown()}
	turn := func(page int) string { return v.path("/reports?page=" + strconv.Itoa(page)) }
	if p.page > 1 {
		view.Previous = turn(p.page - 1)
	}
	if p.to < p.all {
		view.Next = turn(p.page + 1)
	}
	return s.show(c, fiber.StatusOK, "reports", &view)
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
