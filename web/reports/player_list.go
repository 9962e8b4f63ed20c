package reports

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/web/ui"
)

type player = reports.PlayerStat

const playersPerPage = 30

// players lists players in need of help first by default (byNeed). Ties keep the API's order.
var players = listSpec[player]{
	plural: "players",
	columns: []column[player]{
		{"Player", "label", func(a, b player) int { return strings.Compare(a.Label, b.Label) }},
		{"Plays", "-plays", func(a, b player) int { return cmp.Compare(a.Plays, b.Plays) }},
		{"Best score", "-best", func(a, b player) int { return cmp.Compare(bestKey(a), bestKey(b)) }},
		{"Passed", "passed", byNeed},
		{"Last play", "-last", func(a, b player) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
	},
	defaultSort:     "passed",
	search:          "player",
	text:            func(p player) string { return p.Label },
	searchThreshold: playersPerPage,
	perPage:         playersPerPage,
}

// notPassed counts the players without a pass, and returns the first n of them by need. lowestPass is
// the lowest best score of the players with a pass, or 0 if there are none.
func notPassed(s reports.Statistics, n int) (first []player, count int64, lowestPass reports.Percent) {
	for i := range int(s.UniquePlayers) {
		p := s.Player(i)
		if p.Passed {
			if lowestPass > p.BestScore || int64(i) == count { // the first player with a pass
				lowestPass = p.BestScore
			}
			continue
		}
		count++
		if len(first) == n && byNeed(p, first[n-1]) >= 0 {
			continue
		}
		first = append(first[:min(len(first), n-1)], p)
		slices.SortStableFunc(first, byNeed)
	}
	return first, count, lowestPass
}

func filterByPass(players []player, passed bool) []player {
	return slices.DeleteFunc(slices.Clone(players), func(p player) bool { return p.Passed != passed })
}

// playersView is a page of the players that the parameter passed selects.
type playersView struct {
	listPage[player]
	LowestPass reports.Percent // lowest best score of a player with a pass, or 0 if there are none
	Sections   []playerSection // the rows
	ShowPassed bool            // whether rows say who passed, because neither Sections nor the tab does
}

// playerSection has successive rows. A section with a Name has players with the same need.
type playerSection struct {
	Name, Count string // heading, or "", and the number of players on all pages
	Players     []player
}

// playersPage returns a page of the players, the links for the choices of passed, and the answer.
func playersPage(all []player, u pageURL) (v playersView, links []ui.Link, answer []clause) {
	passed, notPassed := filterByPass(all, true), filterByPass(all, false)
	shown := all
	for _, tab := range []struct {
		name, key string
		players   []player
	}{{"All", "", all}, {"Not passed", "no", notPassed}, {"Passed", "yes", passed}} {
		current := tab.key == u.Param("passed")
		if current {
			shown = tab.players
		}
		links = append(links, ui.Link{Name: tab.name, Count: ui.Count(int64(len(tab.players))),
			Path: u.Path("passed", tab.key), Current: current})
	}
	listed := players
	bySections := u.Param("sort") == "" && u.Param(listed.search) == "" && u.Param("passed") != "yes"
	v.ShowPassed = u.Param("passed") == "" && !bySections
	if !v.ShowPassed {
		listed.columns = slices.Concat(listed.columns[:3], listed.columns[4:])
		slices.SortStableFunc(shown, byNeed)
		// Players without a score come first, so that the line of the lowest pass has no gap.
		sort.SliceStable(shown, func(i, j int) bool { return !shown[i].Completed && shown[j].Completed })
	}
	v.listPage = listed.page(u, shown)
	v.Searchable = v.Searchable || len(all) > listed.searchThreshold // every tab has the search, or none
	if len(passed) > 0 {
		v.LowestPass = slices.MinFunc(passed, byNeed).BestScore
	}
	v.Sections = []playerSection{{"", "", v.Rows}}
	if bySections {
		v.Sections = v.sectionsByNeed(shown)
	}
	if u.Param("sort") == "" && !v.ShowPassed {
		v.Columns[2].Direction = "ascending" // in each section
	}
	answer = newPlayersAnswer(all, notPassed)
	if len(passed) < len(all) && u.Param("passed") != "no" {
		answer[0].Path = u.Path("passed", "no")
	}
	return v, links, answer
}

// LowestPassText returns LowestPass, such as 70% or 66.7%. A release's pass mark is unknown.
func (v playersView) LowestPassText() string {
	return strings.Replace(writePercent(v.LowestPass), ".0%", "%", 1)
}

// sectionsByNeed splits the rows by need. shown has the players of all pages.
func (v *playersView) sectionsByNeed(shown []player) (sections []playerSection) {
	counts := map[string]int64{}
	for _, p := range shown {
		counts[v.need(p)]++
	}
	for _, p := range v.Rows {
		if need := v.need(p); len(sections) == 0 || need != sections[len(sections)-1].Name {
			sections = append(sections, playerSection{Name: need, Count: ui.Count(counts[need])})
		}
		section := &sections[len(sections)-1]
		section.Players = append(section.Players, p)
	}
	return sections
}

// nearPass is how far below LowestPass a score counts as nearly passed, in tenths of a percent.
const nearPass = 50

// These needs are also headings.
const (
	farBelow   = "Missed by 5\u00a0points or more"
	justBelow  = "Missed by less than 5\u00a0points"
	unfinished = "No finished play"
)

// need returns the need of the player's section.
func (v *playersView) need(p player) string {
	switch {
	case p.Passed:
		return "Passed"
	case !p.Completed:
		return unfinished
	case v.LowestPass <= nearPass:
		return "Finished"
	case p.BestScore >= v.LowestPass:
		return "At least " + v.LowestPassText() // the player's release requires more
	case p.BestScore > v.LowestPass-nearPass:
		return justBelow
	}
	return farBelow
}

// newPlayersAnswer says how many players have not passed: how many of them never finished a play,
// and how many of the others played only once.
func newPlayersAnswer(players, notPassed []player) []clause {
	n, failed := int64(len(players)), int64(len(notPassed))
	switch {
	case n == 0:
		return nil
	case failed == 0:
		return []clause{{Strong: ui.Plural(n, "1 player", "All %s players"), After: " passed."}}
	}
	var unfinished, once int64
	for _, p := range notPassed {
		switch {
		case !p.Completed:
			unfinished++
		case p.Plays == 1:
			once++
		}
	}
	var details []string
	others := ""
	if unfinished > 0 {
		details = append(details, ui.Count(unfinished)+"\u00a0never finished a play")
		others = ui.Plural(once, "other ", "others ")
	}
	if once > 0 {
		details = append(details, ui.Count(once)+"\u00a0"+others+"tried only once")
	}
	after := ui.Plural(failed, " has not passed", " have not passed")
	if details != nil {
		after += ": " + strings.Join(details, ", ")
	}
	return []clause{{Strong: ui.Count(failed) + " of " + ui.Plural(n, "1 player", "%s players"), After: after + "."}}
}

// Players handles GET /reports/:fork/players with all players of a report.
func (h *Handler) Players(c *fiber.Ctx, p *ui.Principal) error {
	return h.report(c, p, "players", "/players")
}

// byNeed puts players without a pass first, and lower best scores before higher ones. Players who
// finished no play come last of those without a pass, the latest first: they have no score.
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
	if !a.Completed && !b.Completed {
		return b.LastPlayedAt.Compare(a.LastPlayedAt)
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
