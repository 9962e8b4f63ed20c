package web

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/input"
	"dg/platform/limiter"
)

// dashboardView is the report of a fork. It has no figures if the period is invalid or the group is suppressed.
type dashboardView struct {
	layout
	Fork, Self, Back string
	Params           params
	Invalid          *periodError // nil: the period is valid
	Presets          []preset
	Groups           []org.Group
	GroupName        string // "": all players
	Period           string // in words
	OneDay           bool
	Nominative       bool
	Suppressed       bool
	AllPlayers       string // path of this report without a group
	Call             apiCall
	GroupIDs         string // path of the list of groups
	Download         string // path of the file, or "" where there is none
	Formats          []playsFormat
	Format           string  // the suggested one
	Longer           *preset // the next longer period, if there are no plays
	Figures          []figure
	Chart            chart
	Daily            []dailyRow
	Skills           skillList
	Players          playerList
}

type figure struct{ Name, Value, Meaning string }

type dailyRow struct{ Date, Day, Plays, Score string }

// HasPlays reports whether there are plays in the period.
func (v *dashboardView) HasPlays() bool { return len(v.Daily) > 0 }

// dashboard answers GET /reports/:fork with the figures that the API returns, from the same call.
func (h *Handler) dashboard(c *fiber.Ctx, p *principal) error {
	fork, err := h.forkOf(c, p, authz.ReadReport)
	if err != nil {
		return err
	}
	in, err := parseParams(c)
	if err != nil {
		return err
	}
	if findsGroup(c) {
		return h.findGroup(c, p, fork, in)
	}
	self := p.path("/reports/" + fork.ID)
	view := &dashboardView{layout: newLayout(p, fork.Title, areaReports), Fork: fork.Title, Self: self, Back: p.path("/reports")}
	period, err := in.parsePeriod(p.locale, h.today())
	errors.As(err, &view.Invalid)
	view.Params, view.Presets = in, presetLinks(h.today(), self, in.Group, period)
	if view.Groups, err = h.Orgs.Groups(c.UserContext(), p.Organisation.ID, in.Group); err == nil {
		err = authorizeAll(p, authz.ReadReport, view.Groups, func(g org.Group) string { return g.OrganisationID })
	}
	if err != nil {
		return err
	}
	if view.Invalid != nil {
		view.Title = titleOf(view.Title, fiber.StatusBadRequest)
		return h.render(c, fiber.StatusBadRequest, "dashboard", view)
	}
	query := queryOf(p, authz.ReadReport, fork, period, in.Group)
	stats, err := h.Reports.Statistics(c.UserContext(), query, func(l *limiter.Lease) { httpserver.AttachLease(c, l) })
	if err != nil {
		return groupError(err)
	}
	for _, g := range view.Groups {
		if g.ID == in.Group {
			view.GroupName = g.Name
		}
	}
	view.Call, view.GroupIDs = h.statisticsCall(fork.ID, period, in.Group, ""), p.path("/settings/organisation#groups")
	view.fill(c, period, stats)
	return h.render(c, fiber.StatusOK, "dashboard", view)
}

var (
	errNoFork  = apperr.New(apperr.NotFound, "Fork not found. Choose one from the reports.")
	errNoGroup = apperr.New(apperr.NotFound, "Group not found. Open the report for all players and choose a group there.")
)

// forkOf returns the fork in the path if the principal holds the permission on what its owner has. Errors: apperr.NotFound, also
// for another organisation's.
func (h *Handler) forkOf(c *fiber.Ctx, p *principal, permission authz.Permission) (games.Fork, error) {
	fork, err := h.Games.Fork(c.UserContext(), p.Organisation.ID, input.ID(c.Params("fork")))
	if err == nil {
		err = p.policy.Authorize(p.subject(), permission, fork.OrganisationID)
	}
	if apperr.Is(err, apperr.NotFound) || errors.Is(err, authz.ErrDenied) {
		return games.Fork{}, errNoFork
	}
	return fork, err
}

// queryOf returns the query of a report, which asks the policy about the owner of its group.
func queryOf(p *principal, permission authz.Permission, fork games.Fork, period reports.Period, group string) reports.Query {
	return reports.Query{
		OrganisationID: p.Organisation.ID, ForkID: fork.ID, Period: period, GroupID: group, Position: p.position,
		MayReadGroup: func(organisationID string) error { return p.policy.Authorize(p.subject(), permission, organisationID) },
	}
}

// forks returns the organisation's forks.
func (h *Handler) forks(ctx context.Context, p *principal) ([]games.Fork, error) {
	forks, err := h.Games.Forks(ctx, p.Organisation.ID)
	if err != nil {
		return nil, err
	}
	return forks, authorizeAll(p, authz.ListForks, forks, func(f games.Fork) string { return f.OrganisationID })
}

// groupError replaces the API's message about an unknown group. Another organisation's is as unknown.
func groupError(err error) error {
	if errors.Is(err, reports.ErrGroupNotFound) || errors.Is(err, authz.ErrDenied) {
		return errNoGroup
	}
	return err
}

func (v *dashboardView) fill(c *fiber.Ctx, p reports.Period, s reports.Statistics) {
	l := localeOf(c)
	v.Period, v.OneDay, v.Nominative, v.Suppressed = l.Period(p), p.Days == 1, s.ReportingMode == org.Nominative, s.Suppressed
	v.AllPlayers = reportPath(v.Self, p, "")
	if s.Suppressed {
		return
	}
	v.Figures = []figure{
		{"Plays", l.Count(s.Plays), "started, including unfinished"},
		{"Players", l.Count(s.UniquePlayers), "unique"},
		{"Average score", l.Percent(s.AvgScore), "of completed plays"},
		{"Completion rate", l.Rate(s.CompletionRate), "of all plays"},
		{"Pass rate", l.Rate(s.PassRate), "of completed plays"},
	}
	v.Download, v.Formats, v.Format = v.Self+"/plays.csv", playsFormats, suggestedFormat(c.Get(fiber.HeaderAcceptLanguage))
	if s.Plays == 0 {
		v.Longer = longerThan(p, v.Presets)
		return
	}
	v.Chart = newChart(l, p, s)
	v.Daily = make([]dailyRow, len(s.Daily))
	for i, d := range s.Daily {
		v.Daily[i] = dailyRow{d.Date, l.Day(p.From.AddDate(0, 0, i)), l.Count(d.Plays), l.Percent(d.AvgScore)}
	}
	at := reportAddress(c, v.Self, p, v.Params.Group)
	v.Skills, v.Players = newSkillList(l, s.Skills, at), newPlayerList(c, s, at)
}
