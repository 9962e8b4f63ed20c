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
	Columns        []columnHead
	Rows           []playerRow
	Pseudonyms     bool
	Shown          string // 1–25 of 127
	Previous, Next string // paths, or ""
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

// newPlayerList sorts the players and takes the page from them, or the last one where there are fewer. path makes an address
// of further names and values.
func newPlayerList(s reports.Statistics, o playerOrder, page int, path func(more ...string) string) playerList {
	o.sort(s.Players)
	pages := newPager(len(s.Players), playersOnPage, page)
	l := playerList{Pseudonyms: s.ReportingMode != org.Nominative, Shown: pages.shown()}
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
	for _, p := range s.Players[pages.from:pages.to] {
		l.Rows = append(l.Rows, playerRow{p.Label, count(p.Plays), percent(p.BestScore), p.Passed, p.LastPlayedAt})
	}
	turn := func(page int) string { return path(append(o.values(), "page", strconv.Itoa(page))...) }
	if pages.page > 1 {
		l.Previous = turn(pages.page - 1)
	}
	if pages.to < pages.all {
		l.Next = turn(pages.page + 1)
	}
	return l
}

// pager is a page of a list: the elements from from up to to, of all.
type pager struct{ page, from, to, all int }

// newPager returns the page, from 1, or the nearest that there is.
func newPager(all, size, page int) pager {
	page = max(1, min(page, (all+size-1)/size))
	return pager{page, (page - 1) * size, min(page*size, all), all}
}

// pageIn reads the page that the address asks for.
func pageIn(c *fiber.Ctx) int {
	page, err := strconv.Atoi(c.Query("page"))
	if err != nil {
		return 1
	}
	return page
}

// shown says which elements the page has.
func (p pager) shown() string {
	return fmt.Sprintf("%s–%s of %s", count(int64(p.from+1)), count(int64(p.to)), count(int64(p.all)))
}
