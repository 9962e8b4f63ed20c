package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/web/ui"
)

type player = reports.PlayerStat

const playersPerPage = 30

// players lists players in need of help first by default (byNeed). Ties keep the API's order.
var players = listing[player]{
	plural: "players",
	columns: []column[player]{
		{"Player", "label", false,
			func(a, b player) int { return strings.Compare(a.Label, b.Label) }},
		{"Plays", "-plays", true, func(a, b player) int { return cmp.Compare(a.Plays, b.Plays) }},
		{"Best score", "-best", true, func(a, b player) int { return cmp.Compare(bestKey(a), bestKey(b)) }},
		{"Passed", "passed", false, byNeed},
		{"Last play", "-last", true,
			func(a, b player) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
	},
	defaultSort:     "passed",
	search:          "player",
	text:            func(p player) string { return p.Label },
	searchThreshold: playersPerPage,
	perPage:         playersPerPage,
}

// notPassed counts the players without a pass, and returns the first n of them by need.
func notPassed(s reports.Statistics, n int) (first []player, count int64) {
	for i := range int(s.UniquePlayers) {
		p := s.Player(i)
		if p.Passed {
			continue
		}
		count++
		if len(first) == n && byNeed(p, first[n-1]) >= 0 {
			continue
		}
		first = append(first[:min(len(first), n-1)], p)
		slices.SortStableFunc(first, byNeed)
	}
	return first, count
}

func withPass(all []player, passed bool) []player {
	return slices.DeleteFunc(slices.Clone(all), func(p player) bool { return p.Passed != passed })
}

// playersPage lists the players that the parameter passed selects, and returns the links for its
// choices and how many passed.
func playersPage(all []player, u pageURL) (l list[player], links []ui.Link, answer []clause) {
	passed := withPass(all, true)
	shown := all
	for _, of := range []struct {
		name, key string
		players   []player
	}{{"All", "", all}, {"Not passed", "no", withPass(all, false)}, {"Passed", "yes", passed}} {
		current := of.key == u.Param("passed")
		if current {
			shown = of.players
		}
		links = append(links, ui.Link{Name: of.name + " " + ui.Count(int64(len(of.players))),
			Path: u.Path("passed", of.key), Current: current})
	}
	of := players
	if u.Param("passed") != "" {
		of.columns = slices.Concat(of.columns[:3], of.columns[4:]) // without Passed
		slices.SortStableFunc(shown, byNeed)
	}
	l = of.page(u, shown)
	l.Searchable = l.Searchable || len(all) > of.searchThreshold // on each tab, or on none
	return l, links, playersAnswer(all, len(passed))
}

// lowestPass returns the lowest best score of a player with a pass, or 0 if nobody passed.
func lowestPass(all []player) reports.Percent {
	passed := withPass(all, true)
	if len(passed) == 0 {
		return 0
	}
	return slices.MinFunc(passed, byNeed).BestScore
}

// playersAnswer says how many of the players have not passed, and how many of those finished no play.
func playersAnswer(all []player, passed int) []clause {
	n := int64(len(all))
	if n == 0 {
		return nil
	}
	if len(all) == passed {
		return []clause{{Strong: ui.Plural(n, "1 person", "All %s people"), After: " passed."}}
	}
	after := " did not pass."
	if idle := len(slices.DeleteFunc(slices.Clone(all), func(p player) bool { return p.Completed })); idle > 0 {
		after = " did not pass; " + ui.Count(int64(idle)) + " of them finished no play."
	}
	failed := ui.Count(n - int64(passed))
	return []clause{{Strong: failed + " of " + ui.Plural(n, "1 person", "%s people"), After: after}}
}

// Players handles GET /reports/:fork/players with all players of a report.
func (h *Handler) Players(c *fiber.Ctx, p *ui.Principal) error {
	return h.report(c, p, "players", "/players")
}

// byNeed puts players without a pass first, and lower best scores before higher ones. Players who
// finished no play come last of those without a pass: they have no score.
func byNeed(a, b player) int {
	need := func(p player) reports.Percent {
		switch {
		case p.Passed:
			return p.BestScore + 2*fullRate
		case !p.Completed:
			return 2*fullRate - 1
		}
		return p.BestScore
	}
	return cmp.Compare(need(a), need(b))
}

// bestKey sorts players without a completed play below a score of 0.
func bestKey(p player) reports.Percent {
	if !p.Completed {
		return -1
	}
	return p.BestScore
}
