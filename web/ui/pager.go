package ui

import (
	"fmt"
	"strconv"
)

// Pager selects one page of a list: the elements [From:To].
type Pager struct {
	From, To       int
	Range          string // the shown elements in words: 1–25 of 127
	Previous, Next string // paths of the neighbouring pages, or ""
}

// NewPager returns the requested page of size elements, or the nearest existing page. path returns
// the path of a page, counted from 1. An empty list has one empty page.
func NewPager(requested string, total, size int, path func(page int) string) Pager {
	page := max(1, min(PageOf(requested), (total+size-1)/size))
	p := Pager{From: (page - 1) * size, To: min(page*size, total)}
	p.Range = fmt.Sprintf("%s–%s of %s", Count(int64(p.From+1)), Count(int64(p.To)),
		Count(int64(total)))
	if page > 1 {
		p.Previous = path(page - 1)
	}
	if p.To < total {
		p.Next = path(page + 1)
	}
	return p
}

// PageOf parses a page number, which may be out of range. It returns 1 if requested is not an integer.
func PageOf(requested string) int {
	if page, err := strconv.Atoi(requested); err == nil {
		return page
	}
	return 1
}
