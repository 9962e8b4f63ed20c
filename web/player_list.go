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

// playerColumn is a column of the list of players, by which it can be sorted.
type playerColumn struct {
	name, key string
	numeric   bool
	falling   bool // whether a first click sorts it from the highest
	compare   func(a, b reports.PlayerStat) int
}

// playerColumns are the columns in their order. Without a choice the list is in the API's order: by plays, falling.
var playerColumns = []playerColumn{
	{"Player", "label", false, false, func(a, b reports.PlayerStat) int { return strings.Compare(a.Label, b.Label) }},
	{"Plays", "plays", true, true, func(a, b reports.PlayerStat) int { return cmp.Compare(a.Plays, b.Plays) }},
	{"Best score", "best", true, true, func(a, b reports.PlayerStat) int { return cmp.Compare(a.BestScore, b.BestScore) }},
	{"Passed", "passed", false, true, func(a, b reports.PlayerStat) int { return rank(a.Passed) - rank(b.Passed) }},
	{"Last play", "last", false, true, func(a, b reports.PlayerStat) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
}

const usualColumn = 1

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// playerOrder is how the list of players is sorted.
type playerOrder struct {
	column  int // of playerColumns
	falling bool
}

// orderIn reads the order that the address asks for; what it does not know is the usual order.
func orderIn(c *fiber.Ctx) playerOrder {
	column := slices.IndexFunc(playerColumns, func(p playerColumn) bool { return p.key == c.Query("sort") })
	if column < 0 {
		column = usualColumn
	}
	o := playerOrder{column, playerColumns[column].falling}
	switch c.Query("dir") {
	case "asc":
		o.falling = false
	case "desc":
		o.falling = true
	}
	return o
}

// values are the order as an address has it.
func (o playerOrder) values() []string {
	dir := ""
	if column := playerColumns[o.column]; o.falling != column.falling {
		if dir = "asc"; o.falling {
			dir = "desc"
		}
	}
	return []string{"sort", playerColumns[o.column].key, "dir", dir}
}

// sort puts players in order. Players that are alike in the column stay in the API's order.
func (o playerOrder) sort(players []reports.PlayerStat) {
	compare := playerColumns[o.column].compare
	slices.SortStableFunc(players, func(a, b reports.PlayerStat) int {
		if o.falling {
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
	Pseudonyms bool
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

// playersOnPage is how many players a page has.
const playersOnPage = 25

// newPlayerList sorts the players and takes the page from them. path returns an address with further names and values.
func newPlayerList(c *fiber.Ctx, s reports.Statistics, path func(more ...string) string) playerList {
	o := orderIn(c)
	o.sort(s.Players)
	l := playerList{Pseudonyms: s.ReportingMode != org.Nominative, pager: newPager(c, len(s.Players), playersOnPage, func(page int) string {
		return path(append(o.values(), "page", strconv.Itoa(page))...)
	})}
	for i, column := range playerColumns {
		head := columnHead{Name: column.name, Numeric: column.numeric}
		next := playerOrder{i, column.falling}
		if i == o.column {
			if head.Sorted = "ascending"; o.falling {
				head.Sorted = "descending"
			}
			next.falling = !o.falling
		}
		head.Path = path(next.values()...)
		l.Columns = append(l.Columns, head)
	}
	for _, p := range s.Players[l.from:l.to] {
		l.Rows = append(l.Rows, playerRow{p.Label, count(p.Plays), percent(p.BestScore), p.Passed, p.LastPlayedAt})
	}
	return l
}
