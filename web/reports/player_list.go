package reports

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/input"
	"dg/web/ui"
)

// player is a row of the list.
type player = reports.PlayerStat

var playerColumns = []sortColumn[player]{
	{"Player", "label", false, false, func(a, b player) int { return strings.Compare(a.Label, b.Label) }},
	{"Plays", "plays", true, true, func(a, b player) int { return cmp.Compare(a.Plays, b.Plays) }},
	{"Best score", "best", true, true, compareBest},
	{"Passed", "passed", false, true, func(a, b player) int { return ui.CompareBool(a.Passed, b.Passed) }},
	{"Last play", "last", false, true, func(a, b player) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
}

// playersByPlays is the API's order: by plays, descending.
const playersByPlays = 1

// compareBest orders players without a completed play before a best score of 0.
func compareBest(a, b player) int {
	return cmp.Or(ui.CompareBool(a.Completed, b.Completed), cmp.Compare(a.BestScore, b.BestScore))
}

// playerList is a page of the players, or of those that a search found.
type playerList struct {
	ui.Pager
	Columns    []columnHead
	Rows       []playerRow
	Nominative bool

	Searchable bool   // there is more than one page
	Search     string // as it was entered
	Found, All string // what a search found, and the path of all players
	Form       string // target of the search and of the page number
	Kept       []param
}

type playerRow struct {
	Label, Plays, Best string
	Passed             bool
	Last               time.Time
}

const playersPerPage = 15

// newPlayerList finds and sorts the players, and returns the page of the address.
func newPlayerList(c *fiber.Ctx, s reports.Statistics, at listAddress) playerList {
	const place = "#p-h"
	o := parseOrder(c, playerColumns, playersByPlays)
	all := s.Players()
	l := playerList{
		Nominative: s.ReportingMode == org.Nominative,
		Search:     at.chosen.Get("player"),
		Form:       at.self + place,
		Kept:       at.kept("player"),
		All:        at.path(place, "player", ""),
	}
	l.Searchable = l.Search != "" || len(all) > playersPerPage
	found := findPlayers(all, l.Search)
	l.Found = fmt.Sprintf("%s of %s players.", ui.Count(int64(len(found))),
		ui.Count(int64(len(all))))
	o.sort(found)
	l.Pager = ui.NewPager(c, len(found), playersPerPage, func(page int) string {
		return at.path(place, append(o.params(), "page", strconv.Itoa(page))...)
	})
	l.Columns = o.heads(func(order ...string) string { return at.path(place, order...) })
	for _, p := range found[l.From:l.To] {
		best := noValue
		if p.Completed {
			best = ui.Percent(p.BestScore)
		}
		l.Rows = append(l.Rows,
			playerRow{p.Label, ui.Count(p.Plays), best, p.Passed, p.LastPlayedAt})
	}
	return l
}

// noValue is shown where there is nothing to average.
const noValue = "–"

// findPlayers returns the players whose shown label contains the text.
func findPlayers(players []player, text string) []player {
	text = input.Fold(text)
	if text == "" {
		return players
	}
	var found []player
	for _, p := range players {
		if strings.Contains(input.Fold(p.Label), text) {
			found = append(found, p)
		}
	}
	return found
}

// reportAddress makes the addresses of the lists of a report.
func reportAddress(c *fiber.Ctx, self string, p reports.Period, group string) listAddress {
	fixed := []param{{"from", p.Day(0)}, {"to", p.Day(p.Days - 1)}}
	if group != "" {
		fixed = append(fixed, param{"groupId", group})
	}
	return newListAddress(c, self, fixed...)
}
