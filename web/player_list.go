package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/input"
)

// playerColumn is a sortable column of the list of players.
type playerColumn struct {
	name, key  string
	numeric    bool
	descending bool // the order of the first click
	compare    func(a, b reports.PlayerStat) int
}

var playerColumns = []playerColumn{
	{"Player", "label", false, false, func(a, b reports.PlayerStat) int { return strings.Compare(a.Label, b.Label) }},
	{"Plays", "plays", true, true, func(a, b reports.PlayerStat) int { return cmp.Compare(a.Plays, b.Plays) }},
	{"Best score", "best", true, true, compareBest},
	{"Passed", "passed", false, true, func(a, b reports.PlayerStat) int { return compareBool(a.Passed, b.Passed) }},
	{"Last play", "last", false, true, func(a, b reports.PlayerStat) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
}

// defaultColumn is the API's order: by plays, descending.
const defaultColumn = 1

// playerOrder is how the list of players is sorted.
type playerOrder struct {
	column     int // of playerColumns
	descending bool
}

// compareBest orders players without a completed play before a best score of 0.
func compareBest(a, b reports.PlayerStat) int {
	return cmp.Or(compareBool(a.Completed, b.Completed), cmp.Compare(a.BestScore, b.BestScore))
}

// parseOrder reads the order from the address. Unknown values mean the default.
func parseOrder(c *fiber.Ctx) playerOrder {
	column := slices.IndexFunc(playerColumns, func(p playerColumn) bool { return p.key == c.Query("sort") })
	if column < 0 {
		column = defaultColumn
	}
	o := playerOrder{column, playerColumns[column].descending}
	switch c.Query("dir") {
	case "asc":
		o.descending = false
	case "desc":
		o.descending = true
	}
	return o
}

// params are the order as parameters of an address.
func (o playerOrder) params() []string {
	dir := ""
	if column := playerColumns[o.column]; o.descending != column.descending {
		if dir = "asc"; o.descending {
			dir = "desc"
		}
	}
	return []string{"sort", playerColumns[o.column].key, "dir", dir}
}

// sort sorts the players. Players that are equal in the column stay in the API's order.
func (o playerOrder) sort(players []reports.PlayerStat) {
	compare := playerColumns[o.column].compare
	slices.SortStableFunc(players, func(a, b reports.PlayerStat) int {
		if o.descending {
			return compare(b, a)
		}
		return compare(a, b)
	})
}

// playerList is a page of the players, or of those that a search found.
type playerList struct {
	pager
	Columns    []columnHead
	Rows       []playerRow
	Nominative bool

	Searchable bool   // there is more than one page
	Search     string // as it was entered
	Found, All string // what a search found, and the path of all players
	Form       string // target of the search and of the page number
	Kept       []param
}

type columnHead struct {
	Name, Path, Sorted string
	Numeric            bool
}

type playerRow struct {
	Label, Plays, Best string
	Passed             bool
	Last               time.Time
}

const playersPerPage = 25

// newPlayerList finds and sorts the players, and returns the page of the address.
func newPlayerList(c *fiber.Ctx, s reports.Statistics, at listAddress) playerList {
	const place = "#p-h"
	o, all := parseOrder(c), s.Players
	l := playerList{
		Nominative: s.ReportingMode == org.Nominative, Search: at.chosen.Get("player"), Form: at.self + place, Kept: at.kept("player"),
		All: at.path(place, "player", ""),
	}
	l.Searchable = l.Search != "" || len(all) > playersPerPage
	found := findPlayers(all, l.Search)
	loc := localeOf(c)
	l.Found = fmt.Sprintf("%s of %s players.", loc.Count(int64(len(found))), loc.Count(int64(len(all))))
	o.sort(found)
	l.pager = newPager(c, len(found), playersPerPage, func(page int) string {
		return at.path(place, append(o.params(), "page", strconv.Itoa(page))...)
	})
	l.Columns = o.heads(func(o playerOrder) string { return at.path(place, o.params()...) })
	for _, p := range found[l.from:l.to] {
		best := noValue
		if p.Completed {
			best = loc.Percent(p.BestScore)
		}
		l.Rows = append(l.Rows, playerRow{p.Label, loc.Count(p.Plays), best, p.Passed, p.LastPlayedAt})
	}
	return l
}

// noValue stands where there is nothing to average.
const noValue = "–"

// findPlayers returns the players whose label, as it is shown, contains the text. It knows no other name of them.
func findPlayers(players []reports.PlayerStat, text string) []reports.PlayerStat {
	text = input.Fold(text)
	if text == "" {
		return players
	}
	var found []reports.PlayerStat
	for _, p := range players {
		if strings.Contains(input.Fold(p.Label), text) {
			found = append(found, p)
		}
	}
	return found
}

// heads are the heads of the columns with their links: the sorted one turns its order round.
func (o playerOrder) heads(path func(playerOrder) string) (heads []columnHead) {
	for i, column := range playerColumns {
		head := columnHead{Name: column.name, Numeric: column.numeric}
		next := playerOrder{i, column.descending}
		if i == o.column {
			if head.Sorted = "ascending"; o.descending {
				head.Sorted = "descending"
			}
			next.descending = !o.descending
		}
		head.Path = path(next)
		heads = append(heads, head)
	}
	return heads
}
