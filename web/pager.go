package web

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"
)

// pager is a page of a list: the elements from from up to to.
type pager struct {
	from, to       int
	Shown          string // 1–25 of 127
	Previous, Next string // paths, or ""
}

// newPager returns the page that the address asks for, or the nearest that exists. path returns the address of a page.
func newPager(c *fiber.Ctx, all, size int, path func(page int) string) pager {
	page := max(1, min(pageOf(c), (all+size-1)/size))
	p := pager{from: (page - 1) * size, to: min(page*size, all)}
	l := localeOf(c)
	p.Shown = fmt.Sprintf("%s–%s of %s", l.Count(int64(p.from+1)), l.Count(int64(p.to)), l.Count(int64(all)))
	if page > 1 {
		p.Previous = path(page - 1)
	}
	if p.to < all {
		p.Next = path(page + 1)
	}
	return p
}

// pageOf returns the number of the page that the address asks for, which need not exist.
func pageOf(c *fiber.Ctx) int {
	if page, err := strconv.Atoi(c.Query("page")); err == nil {
		return page
	}
	return 1
}
