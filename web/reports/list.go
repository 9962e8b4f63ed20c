package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dg/platform/input"
	"dg/web/ui"
)

// column is a column of a list. sort is the value of ?sort= after a first click on the heading: plays
// or, descending, -plays. Columns of numbers sort descending first. A column without compare is not
// sortable.
type column[T any] struct {
	name, sort string
	compare    func(a, b T) int
}

// listSpec describes a list that is searched, sorted and paged; a listPage is one page of it.
type listSpec[T any] struct {
	plural          string // plural of the items' name
	columns         []column[T]
	defaultSort     string              // value of sort if the URL has no known value
	search          string              // query parameter of the search
	text            func(item T) string // the text of an item that the search examines
	searchThreshold int                 // up to this many items, there is no search
	perPage         int
}

type listPage[T any] struct {
	ui.Pager
	Columns []columnHead
	Rows    []T

	Searchable       bool
	Search           string
	Summary, AllPath string // a sentence with the number of matches; the path without the search
	FormPath         string
	KeptParams       []param
}

// columnHead is the heading of a column. Path is "" if the column is not sortable. Direction is the
// value of aria-sort, or "".
type columnHead struct {
	Name, Path, Direction string
	Numeric               bool
}

func (l listSpec[T]) page(u pageURL, items []T) listPage[T] {
	v := listPage[T]{
		Search:     u.Param(l.search),
		AllPath:    u.Path(l.search, ""),
		FormPath:   u.BasePath,
		KeptParams: u.Fields(l.search),
	}
	v.Searchable = v.Search != "" || len(items) > l.searchThreshold
	matches := l.find(items, v.Search)
	v.Summary = fmt.Sprintf("%s of %s %s.", ui.Count(int64(len(matches))), ui.Count(int64(len(items))),
		l.plural)
	v.Columns = l.sort(matches, u)
	v.Pager = ui.NewPager(u.Param("page"), len(matches), l.perPage, func(page int) string {
		return u.Path("page", strconv.Itoa(page))
	})
	v.Rows = matches[v.From:v.To]
	return v
}

func (l listSpec[T]) find(items []T, search string) []T {
	search = input.Fold(search)
	if search == "" {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), func(item T) bool {
		return !strings.Contains(input.Fold(l.text(item)), search)
	})
}

// sort sorts items stably. The heading of the sorted column links to the reverse order.
func (l listSpec[T]) sort(items []T, u pageURL) (heads []columnHead) {
	order := u.Param("sort")
	isSorted := func(c column[T]) bool {
		return c.compare != nil && sortColumn(c.sort) == sortColumn(order)
	}
	if !slices.ContainsFunc(l.columns, isSorted) {
		order = l.defaultSort
	}
	for _, c := range l.columns {
		head := columnHead{Name: c.name, Numeric: strings.HasPrefix(c.sort, "-")}
		next := c.sort
		if isSorted(c) {
			head.Direction = "ascending"
			next = "-" + order
			compare := c.compare
			if strings.HasPrefix(order, "-") {
				head.Direction = "descending"
				next = sortColumn(order)
				compare = func(a, b T) int { return c.compare(b, a) }
			}
			slices.SortStableFunc(items, compare)
		}
		if c.compare != nil {
			head.Path = u.Path("sort", next)
		}
		heads = append(heads, head)
	}
	return heads
}

func sortColumn(order string) string { return strings.TrimPrefix(order, "-") }
