package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
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
	{"Best score", "best", true, true, func(a, b reports.PlayerStat) int { return cmp.Compare(a.BestScore, b.BestScore) }},
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

// playerList is a page of the players.
type playerList struct {
	pager
	Columns    []columnHead
	Rows       []playerRow
	Nominative bool
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

// newPlayerList sorts the players and returns the page of the address. path returns an address with more parameters.
func newPlayerList(c *fiber.Ctx, s reports.Statistics, path func(more ...string) string) playerList {
	o := parseOrder(c)
	o.sort(s.Players)
	l := playerList{Nominative: s.ReportingMode == org.Nominative, pager: newPager(c, len(s.Players), playersPerPage, func(page int) string {
		return path(append(o.params(), "page", strconv.Itoa(page))...)
	})}
	for i, column := range playerColumns {
		head := columnHead{Name: column.name, Numeric: column.numeric}
		next := playerOrder{i, column.descending}
		if i == o.column {
			if head.Sorted = "ascending"; o.descending {
				head.Sorted = "descending"
			}
			next.descending = !o.descending
		}
		head.Path = path(next.params()...)
		l.Columns = append(l.Columns, head)
	}
	loc := localeOf(c)
	for _, p := range s.Players[l.from:l.to] {
		l.Rows = append(l.Rows, playerRow{p.Label, loc.Count(p.Plays), loc.Percent(p.BestScore), p.Passed, p.LastPlayedAt})
	}
	return l
}
