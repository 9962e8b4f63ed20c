package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
)

// docsWing is what the pages of the documentation need.
type docsWing struct {
	base      string
	Orgs      GroupNames
	Forks     ForkList
	reference reference
}

func newDocsWing(m Modules, base string) (docsWing, error) {
	all, err := newReference(m.Document)
	return docsWing{base, m.Reports.Groups, m.Reports.Forks, all}, err
}

func (h *Handler) forks(ctx context.Context, p *principal) ([]games.Fork, error) {
	return forksOf(ctx, h.Forks, p)
}

func (h *Handler) render(c *fiber.Ctx, status int, name string, view screenView) error {
	return h.Render(c, status, name, view)
}

func (h *Handler) today() time.Time { return h.Today() }
