package web

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// dashboardView is the report of one fork. Where the period is wrong or too few of the group played it has no figures.
type dashboardView struct {
	layout
	Fork, Self, Back string
	Params           params
	Wrong            *periodError // nil: the period is right
	Presets          []preset
	Groups           []org.Group
	GroupName        string // "": all players
	Period           string // in words
	OneDay           bool
	Names            bool // whether players are shown by name
	Suppressed       bool
	AllPlayers       string // this report without a group
	Download         string
	Longer           *preset // the next longer period, where nobody played
	Figures          []figure
	Chart            chart
	Daily            []dailyRow
	Skills           []skillRow
	Players          playerList
}

type figure struct{ Name, Value, Meaning string }

type dailyRow struct{ Date, Day, Plays, Score string }

type skillRow struct {
	Name          string
	ID            []string // its parts
	Answers, Rate string
}

// Played says whether there is anything to show.
func (v *dashboardView) Played() bool { return len(v.Daily) > 0 }

// showDashboard shows the figures of a fork over a period: those of the API, from the same call.
func (h *Handler) showDashboard(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	fork, err := h.forkOf(ctx, c, p)
	if err != nil {
		return err
	}
	a, err := parseParams(c)
	if err != nil {
		return err
	}
	self := p.path("/reports/" + fork.ID)
	view := &dashboardView{layout: h.layout(p, fork.Title, areaReports), Fork: fork.Title, Self: self, Back: p.path("/reports")}
	period, err := a.in(h.today())
	errors.As(err, &view.Wrong)
	view.Params, view.Presets = a, presetLinks(h.today(), self, a.Group, period)
	if view.Groups, err = h.Orgs.Groups(ctx, p.Organisation.ID, a.Group); err != nil {
		return err
	}
	if view.Wrong != nil {
		view.Title = titleOf(view.Title, fiber.StatusBadRequest)
		return h.render(c, fiber.StatusBadRequest, "dashboard", view)
	}
	query, err := queryOf(p, fork, period, a.Group)
	if err != nil {
		return err
	}
	stats, err := h.Reports.Statistics(ctx, query, func(l *limiter.Lease) { httpserver.AttachLease(c, l) })
	if err != nil {
		return groupError(err)
	}
	for _, g := range view.Groups {
		if g.ID == a.Group {
			view.GroupName = g.Name
		}
	}
	view.fill(c, period, stats)
	return h.render(c, fiber.StatusOK, "dashboard", view)
}

var errNoFork = apperr.New(apperr.NotFound, "There is no such fork in this organisation. Choose one from its reports.")

// forkOf loads the fork that the path names: one of the organisation. Errors: ErrNotFound, also for another one's.
func (h *Handler) forkOf(ctx context.Context, c *fiber.Ctx, p *principal) (games.Fork, error) {
	fork, err := h.Games.Fork(ctx, p.Organisation.ID, c.Params("fork"))
	if apperr.Is(err, apperr.NotFound) {
		return games.Fork{}, errNoFork
	}
	return fork, err
}

// queryOf is the question to modules/reports. Errors: ErrNotFound for what cannot be a group.
func queryOf(p *principal, fork games.Fork, period reports.Period, group string) (reports.Query, error) {
	if group != "" && !org.IsID(group) {
		return reports.Query{}, errNoGroup
	}
	return reports.Query{OrganisationID: p.Organisation.ID, ForkID: fork.ID, Period: period, GroupID: group}, nil
}

// fill puts the figures into the view.
func (v *dashboardView) fill(c *fiber.Ctx, p reports.Period, s reports.Statistics) {
	v.Period, v.OneDay, v.Names, v.Suppressed = inWords(p), p.Days == 1, s.ReportingMode == org.Nominative, s.Suppressed
	v.AllPlayers = reportPath(v.Self, p, "")
	if s.Suppressed {
		return
	}
	v.Figures = []figure{
		{"Plays", count(s.Plays), "started, finished or not"},
		{"Players", count(s.UniquePlayers), "different people"},
		{"Average score", percent(s.AvgScore), "of completed plays"},
		{"Completion", ratePercent(s.CompletionRate), "of plays were completed"},
		{"Pass rate", ratePercent(s.PassRate), "of completed plays passed"},
	}
	v.Download = reportPath(v.Self+"/plays.csv", p, v.Params.Group)
	if s.Plays == 0 {
		v.Longer = longerThan(p, v.Presets)
		return
	}
	v.Chart = newChart(p, s)
	v.Daily = make([]dailyRow, len(s.Daily))
	for i, d := range s.Daily {
		v.Daily[i] = dailyRow{d.Date, p.From.AddDate(0, 0, i).Format(shortDay), count(d.Plays), percent(d.AvgScore)}
	}
	for _, k := range s.Skills {
		v.Skills = append(v.Skills, skillRow{skillNames[k.SkillID], strings.SplitAfter(k.SkillID, "."), count(k.Attempts), ratePercent(k.CorrectRate)})
	}
	v.Players = newPlayerList(c, s, func(more ...string) string {
		return reportPath(v.Self, p, v.Params.Group, more...) + "#p-h"
	})
}

// longerThan returns the first of the presets that holds the period and more, or nil.
func longerThan(p reports.Period, all []preset) *preset {
	i := slices.IndexFunc(all, func(longer preset) bool {
		return longer.period.Days > p.Days && !longer.period.From.After(p.From) && !longer.period.End().Before(p.End())
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}
