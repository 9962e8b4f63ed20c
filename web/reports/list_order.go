package reports

import (
	"slices"

	"github.com/gofiber/fiber/v2"
)

// sortColumn is a column of a list. One without compare cannot be sorted by.
type sortColumn[T any] struct {
	name, key  string
	numeric    bool
	descending bool // the order of the first click
	compare    func(a, b T) int
}

// listOrder is how a list is sorted.
type listOrder[T any] struct {
	columns    []sortColumn[T]
	column     int // of columns
	descending bool
}

// columnHead is the head of a column. Path is "" where it cannot be sorted by.
type columnHead struct {
	Name, Path, Sorted string
	Numeric            bool
}

// parseOrder reads the order from the address. Unknown values mean the default.
func parseOrder[T any](c *fiber.Ctx, columns []sortColumn[T], usual int) listOrder[T] {
	column := slices.IndexFunc(columns, func(s sortColumn[T]) bool {
		return s.compare != nil && s.key == c.Query("sort")
	})
	if column < 0 {
		column = usual
	}
	o := listOrder[T]{columns, column, columns[column].descending}
	switch c.Query("dir") {
	case "asc":
		o.descending = false
	case "desc":
		o.descending = true
	}
	return o
}

// params are the order as parameters of an address.
func (o listOrder[T]) params() []string {
	dir := ""
	if column := o.columns[o.column]; o.descending != column.descending {
		if dir = "asc"; o.descending {
			dir = "desc"
		}
	}
	return []string{"sort", o.columns[o.column].key, "dir", dir}
}

// sort sorts the list. What is equal in the column stays as it is.
func (o listOrder[T]) sort(list []T) {
	compare := o.columns[o.column].compare
	slices.SortStableFunc(list, func(a, b T) int {
		if o.descending {
			return compare(b, a)
		}
		return compare(a, b)
	})
}

// heads are the heads of the columns with their links: that of the sorted one turns the order
// round.
func (o listOrder[T]) heads(path func(order ...string) string) (heads []columnHead) {
	for i, column := range o.columns {
		head := columnHead{Name: column.name, Numeric: column.numeric}
		next := listOrder[T]{o.columns, i, column.descending}
		if i == o.column {
			if head.Sorted = "ascending"; o.descending {
				head.Sorted = "descending"
			}
			next.descending = !o.descending
		}
		if column.compare != nil {
			head.Path = path(next.params()...)
		}
		heads = append(heads, head)
	}
	return heads
}
