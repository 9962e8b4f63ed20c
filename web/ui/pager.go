package ui

import (
	"fmt"
	"strconv"
)

// Pager is a page of a list: the elements [From:To].
type Pager struct {
	From, To       int
	Shown          string // 1–25 of 127
	Previous, Next string // paths, or ""
}

// NewPager returns the requested page, or the nearest that exists. path returns the path of a page.
func NewPager(asked string, all, size int, path func(page int) string) Pager {
	page := max(1, min(PageOf(asked), (all+size-1)/size))
	p := Pager{From: (page - 1) * size, To: min(page*size, all)}
	p.Shown = fmt.Sprintf("%s–%s of %s", Count(int64(p.From+1)), Count(int64(p.To)),
		Count(int64(all)))
	if page > 1 {
		p.Previous = path(page - 1)
	}
	if p.To < all {
		p.Next = path(page + 1)
	}
	return p
}

// PageOf parses the number of the requested page, which may not exist.
func PageOf(asked string) int {
	if page, err := strconv.Atoi(asked); err == nil {
		return page
	}
	return 1
}
