package reports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/format"
	"dg/platform/input"
	"dg/web/ui"
)

type dashboardView struct {
	ui.Layout
	menuBar
	Fork           games.Fork
	Back           string
	State          forkState
	Today          time.Time
	Nominative     bool
	Stats          reports.Statistics
	Command        string // a curl command that reads the figures from the API
	LongerPeriod   string // path of the last 12 months, if the period has no plays and does not include them; else ""
	Overlaps       []reports.Overlap
	MoreOverlaps   bool // whether there are more overlaps than Overlaps lists
	Figures        []figure
	Answer         []clause
	Chart          *chart
	Skills         skillList
	PlayersLink    ui.Link
	NotPassed      []player // the first of NotPassedCount players without a pass
	NotPassedCount int64
	Players        playersView // only its LowestPass, except on the page of all players
	PassedLinks    []ui.Link
}

// Dashboard handles GET /reports/:fork. Its figures come from the same method as those of the API.
func (h *Handler) Dashboard(c *fiber.Ctx, p *ui.Principal) error {
	return h.report(c, p, "dashboard", "")
}

// report renders a screen of a fork's report. path is the path of the screen below the report's path.
func (h *Handler) report(c *fiber.Ctx, p *ui.Principal, template, path string) error {
	fork, err := h.forkOf(c, p, reports.ReadReport)
	if err != nil {
		return err
	}
	u, err := parsePageURL(c, p.Path("/reports/"+fork.ID+path))
	if err != nil {
		return err
	}
	view := &dashboardView{Layout: ui.NewLayout(p, "\u2068"+fork.Title+"\u2069", ui.AreaReports), Fork: fork,
		Back: u.at(p.Path("/reports")).Path(), State: stateOf(fork), Today: h.Today()}
	view.pageURL = u
	if err := h.addGroups(c.UserContext(), p, &view.menuBar); err != nil {
		return err
	}
	period, periodErr := u.period(view.Today)
	if periodErr == nil {
		u.query.Set("from", period.Day(0))
		u.query.Set("to", period.Day(period.Days-1))
	}
	invalid := errors.As(periodErr, &view.PeriodError)
	if invalid || !period.From.Before(view.Today) { // the list counts complete days
		view.Back = u.at(p.Path("/reports")).Path("from", "", "to", "")
	}
	view.addPeriods(period, view.Today, view.Today.AddDate(0, 0, 1))
	if invalid {
		view.Title = ui.TitleOf(view.Title, fiber.StatusBadRequest)
		return h.Render(c, fiber.StatusBadRequest, template, view)
	}
	return h.showReport(c, p, view, period, template)
}

func (h *Handler) showReport(
	c *fiber.Ctx, p *ui.Principal, view *dashboardView, period reports.Period, template string,
) error {
	query := queryOf(p, view.Fork, period, view.pageURL)
	reportURL := pageURL{p.Path("/reports/" + view.Fork.ID), view.query}
	view.Title += ", " + ui.Period(period)
	var err error
	if template != "players" {
		view.Comparison, err = h.loadComparison(c.UserContext(), p, &query, view.Param("compare"))
		if err != nil {
			return err
		}
		query.OverlapsTimeout = hintTimeout
	}
	stats, err := h.statistics(c.UserContext(), p, query)
	if err != nil {
		return err
	}
	view.Comparison = view.Comparison.withCompleteDays(stats)
	// A suppressed report must look like an empty one, so it has no counts of groups.
	if len(view.Groups) > 0 && !stats.Suppressed {
		ctx, stop := context.WithTimeout(c.UserContext(), hintTimeout)
		defer stop()
		view.groupPlayers, _ = h.Reports.UnsuppressedGroupPlayers(ctx, query) // nil after an error
	}
	view.Stats = stats
	view.Command = h.command(query)
	if template == "players" {
		view.Title = "Players, " + view.Title
		view.Back = reportURL.Path("q", "", "sort", "", "player", "", "passed", "")
		view.Players, view.PassedLinks, view.Answer = playersPage(stats.Players(), view.pageURL)
	}
	view.addFigures(period, stats, reportURL)
	return h.Render(c, fiber.StatusOK, template, view)
}

var (
	errNoFork  = apperr.New(apperr.NotFound, "Fork not found. It does not exist, or belongs to another organisation.")
	errNoGroup = apperr.New(apperr.NotFound,
		"Group not found. It does not exist, or belongs to another organisation.")
)

// forkOf returns the path's fork, or errNoFork if it does not exist or the policy denies it.
func (h *Handler) forkOf(c *fiber.Ctx, p *ui.Principal, permission authz.Permission) (games.Fork, error) {
	fork, err := h.Games.Fork(c.UserContext(), p.Organisation.ID, input.ID(input.PathID(c.Params("fork"))))
	if err == nil {
		err = p.Decide(permission, fork.OrganisationID)
	}
	if apperr.Is(err, apperr.NotFound) || errors.Is(err, authz.ErrDenied) {
		return games.Fork{}, errNoFork
	}
	return fork, err
}

func queryOf(p *ui.Principal, fork games.Fork, period reports.Period, u pageURL) reports.Query {
	return reports.Query{OrganisationID: p.Organisation.ID, ForkID: fork.ID, Period: period,
		GroupID: u.Param("groupId"), Position: p.Position}
}

// statistics waits for a slot of reports and, if needed, of large ones. It releases both.
func (h *Handler) statistics(ctx context.Context, p *ui.Principal, q reports.Query) (reports.Statistics, error) {
	report, err := h.Reports.Open(ctx, q)
	if err != nil {
		return reports.Statistics{}, groupError(err)
	}
	defer report.Close()
	if err := authorizeGroup(p, reports.ReadReport, report.Header); err != nil {
		return reports.Statistics{}, groupError(err)
	}
	stats, err := h.Reports.Statistics(ctx, report)
	return stats, groupError(err)
}

func authorizeGroup(p *ui.Principal, permission authz.Permission, r reports.Header) error {
	if r.GroupOwner == "" {
		return nil
	}
	return p.Decide(permission, r.GroupOwner)
}

// groupError returns errNoGroup for a denied group, too: no error reveals that the group exists.
func groupError(err error) error {
	if errors.Is(err, reports.ErrGroupNotFound) || errors.Is(err, authz.ErrDenied) {
		return errNoGroup
	}
	return err
}

// command returns a curl command. A variable keeps the key out of the shell's history, and a header
// from stdin keeps it out of the process list.
func (h *Handler) command(q reports.Query) string {
	group := ""
	if q.GroupID != "" {
		group = " -d groupId=" + q.GroupID
	}
	return fmt.Sprintf("curl -q -sS -G '%s/api/v1/forks/%s/stats' \\\n  -d from=%s -d to=%s%s \\\n"+
		"  -H @- <<<\"Authorization: Bearer $DG_KEY\"",
		h.BaseURL, q.ForkID, q.Period.Day(0), q.Period.Day(q.Period.Days-1), group)
}

// hintTimeout bounds the queries that a page can omit: hidden groups, and overlaps.
const hintTimeout = 300 * time.Millisecond

func (v *dashboardView) addFigures(p reports.Period, s reports.Statistics, reportURL pageURL) {
	v.Period = ui.Period(p)
	v.Nominative = s.ReportingMode == org.Nominative
	if s.Suppressed {
		v.Comparison = nil // no figure of a suppressed page may depend on plays (rules.md, Anonymity)
		return
	}
	file := pageURL{reportURL.BasePath + "/plays.csv", v.query}
	v.Download = ui.Download{
		CSV: file.Path(), Excel: file.Path("format", format.ExcelName),
		LastWeek: file.withPeriod(presetNamed(v.Today, "Last week")).Path(),
	}
	if v.PassedLinks != nil { // only on the page of all players
		return
	}
	show := v.Param("show")
	i := slices.IndexFunc(measures, func(m measure) bool { return m.key == show && show != "" })
	chartMeasure := measures[max(1, i)] // plays by default
	v.Figures = newFigures(s, v.Comparison, measures...)
	for i := range v.Figures {
		if f := &v.Figures[i]; f.Key != "" && s.Plays > 0 {
			f.Path = v.Path("show", f.Key)
			f.Shown = f.Key == chartMeasure.key
		}
	}
	v.addComparisons(v.Today)
	v.Overlaps = s.Overlaps[:min(len(s.Overlaps), maxShownOverlaps)]
	v.MoreOverlaps = len(s.Overlaps) > maxShownOverlaps
	if s.Plays == 0 {
		last12Months := reports.NewPeriod(v.Today.AddDate(-1, 0, 1), v.Today)
		if last12Months.From.Before(p.From) || p.End().Before(last12Months.End()) {
			v.LongerPeriod = v.withPeriod(last12Months).Path()
		}
		return
	}
	v.Answer = newAnswer(s, v.Comparison)
	v.Chart = newChart(p, s, v.Comparison, v.Today, chartMeasure)
	v.Skills = newSkillList(s, v.Comparison, v.pageURL)
	v.NotPassed, v.NotPassedCount, v.Players.LowestPass = notPassed(s, cardRows+1)
	if v.NotPassedCount > cardRows+1 && len(s.Skills) != cardRows+1 { // else as many rows as the skills
		v.NotPassed = v.NotPassed[:cardRows]
	}
	playersURL := pageURL{reportURL.BasePath + "/players", v.query}.withParams("show", "", "skills", "")
	v.PlayersLink = ui.Link{Name: ui.Plural(s.UniquePlayers, "The player", "All %s players"), Path: playersURL.Path()}
	if v.NotPassedCount > int64(len(v.NotPassed)) {
		v.PlayersLink = ui.Link{Name: "All " + ui.Count(v.NotPassedCount), Path: playersURL.Path("passed", "no")}
	}
}

// maxShownOverlaps is one below MaxOverlaps: a further overlap only shows that there are more.
const maxShownOverlaps = reports.MaxOverlaps - 1
