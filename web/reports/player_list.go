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

const playersPerPage = 25

// players is sorted by plays by default, most plays first, as in the API.
var players = listing[player]{
	plural: "players",
	columns: []column[player]{
		{"Player", "label", false,
			func(a, b player) int { return strings.Compare(a.Label, b.Label) }},
		{"Plays", "-plays", true, func(a, b player) int { return cmp.Compare(a.Plays, b.Plays) }},
		{"Best score", "-best", true, func(a, b player) int { return cmp.Compare(bestKey(a), bestKey(b)) }},
		{"Passed", "", false, nil},
		{"Last play", "-last", true,
			func(a, b player) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
	},
	defaultSort:     "-plays",
	search:          "player",
	text:            func(p player) string { return p.Label },
	searchThreshold: playersPerPage,
	perPage:         playersPerPage,
}

// notPassed returns the players without a pass, lowest best score first.
func notPassed(all []player) []player {
	all = slices.DeleteFunc(all, func(p player) bool { return p.Passed })
	slices.SortStableFunc(all, func(a, b player) int { return cmp.Compare(bestKey(a), bestKey(b)) })
	return all
}

// playersPage lists the players that the parameter passed selects, and returns the links for its
// choices.
func playersPage(all []player, at pageURL) (l list[player], links []ui.Link) {
	chosen := at.Param("passed")
	passed := 0
	for _, p := range all {
		if p.Passed {
			passed++
		}
	}
	for _, of := range []struct {
		name, key string
		players   int
	}{{"All", "", len(all)}, {"Not passed", "no", len(all) - passed}, {"Passed", "yes", passed}} {
		links = append(links, ui.Link{Name: of.name + " " + ui.Count(int64(of.players)),
			Path: at.Path("passed", of.key), Current: of.key == chosen})
	}
	if chosen == "yes" || chosen == "no" {
		all = slices.DeleteFunc(all, func(p player) bool { return p.Passed != (chosen == "yes") })
	}
	return players.page(at, all), links
}

// Players handles GET /reports/:fork/players with all players of a report.
func (h *Handler) Players(c *fiber.Ctx, p *ui.Principal) error {
	return h.report(c, p, "players", "/players")
}

// bestKey sorts players without a completed play below a score of 0.
func bestKey(p player) reports.Percent {
	if !p.Completed {
		return -1
	}
	return p.BestScore
}
