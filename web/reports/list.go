package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dg/platform/input"
	"dg/web/ui"
)

// column is a column of a list. order is what the first click on its head sorts by, as the address
// has it: plays, or -plays for descending. A column without compare cannot be sorted by.
type column[T any] struct {
	name, order string
	numeric     bool
	compare     func(a, b T) int
}

// listing says how things are listed, found and sorted.
type listing[T any] struct {
	things  string // what they are called
	columns []column[T]
	order   string               // without a choice
	search  string               // the parameter of the search
	text    func(thing T) string // which the search looks into
	few     int                  // are seen at one glance
	perPage int
	place   string // the fragment of the list, or ""
}

// list is a page of things, or of those that a search found.
type list[T any] struct {
	ui.Pager
	Columns []columnHead
	Rows    []T

	Searchable bool
	Search     string
	Found, All string // what the search found, and the path of all things
	Form       string
	Kept       []param
}

// columnHead is the head of a column. Path is "" where it cannot be sorted by.
type columnHead struct {
	Name, Path, Sorted string
	Numeric            bool
}

// page finds and sorts the things, and returns the page that the address asks for.
func (l listing[T]) page(at address, all []T) list[T] {
	v := list[T]{
		Search: at.Param(l.search),
		All:    at.Path(l.search, "") + l.place,
		Form:   at.Self + l.place,
		Kept:   at.Fields(l.search),
	}
	v.Searchable = v.Search != "" || len(all) > l.few
	found := l.find(all, v.Search)
	v.Found = fmt.Sprintf("%s of %s %s.", ui.Count(int64(len(found))), ui.Count(int64(len(all))),
		l.things)
	v.Columns = l.sort(found, at)
	v.Pager = ui.NewPager(at.Param("page"), len(found), l.perPage, func(page int) string {
		return at.Path("page", strconv.Itoa(page)) + l.place
	})
	v.Rows = found[v.From:v.To]
	return v
}

// find returns the things whose text contains what is searched.
func (l listing[T]) find(all []T, search string) []T {
	search = input.Fold(search)
	if search == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(thing T) bool {
		return !strings.Contains(input.Fold(l.text(thing)), search)
	})
}

// sort sorts the things as the address asks for, and returns the heads of the columns. That of the
// sorted one turns the order round. What is equal in the column stays as it is.
func (l listing[T]) sort(things []T, at address) (heads []columnHead) {
	order := at.Param("sort")
	known := func(c column[T]) bool {
		return c.compare != nil && key(c.order) == key(order)
	}
	if !slices.ContainsFunc(l.columns, known) {
		order = l.order
	}
	for _, c := range l.columns {
		head := columnHead{Name: c.name, Numeric: c.numeric}
		next := c.order
		if known(c) {
			head.Sorted = "ascending"
			next = "-" + order
			compare := c.compare
			if strings.HasPrefix(order, "-") {
				head.Sorted = "descending"
				next = key(order)
				compare = func(a, b T) int { return c.compare(b, a) }
			}
			slices.SortStableFunc(things, compare)
		}
		if c.compare != nil {
			head.Path = at.Path("sort", next) + l.place
		}
		heads = append(heads, head)
	}
	return heads
}

// key is the column of an order.
func key(order string) string { return strings.TrimPrefix(order, "-") }
