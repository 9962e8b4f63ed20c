package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
	"dg/platform/authz"
	"dg/web/reports"
	"dg/web/ui"
)

// docsWing is what the pages of the documentation need.
type docsWing struct {
	base          string
	Orgs          reports.Groups
	Forks         ui.ForkList
	documentation documentation
}

func newDocsWing(m Modules, base string) (docsWing, error) {
	texts, err := loadDocumentation()
	return docsWing{base, m.Reports.Groups, m.Reports.Forks, texts}, err
}

func (h *Handler) forks(ctx context.Context, p *principal) ([]games.Fork, error) {
	return ui.ForksOf(ctx, h.Forks, p)
}

//nolint:unparam // as Render, which it is until these pages are a wing
func (h *Handler) render(c *fiber.Ctx, status int, name string, view ui.ScreenView) error {
	return h.Render(c, status, name, view)
}

func (h *Handler) today() time.Time { return h.Today() }

// The names of package ui as the pages of the documentation have them.
type (
	layout    = ui.Layout
	sidebar   = ui.Sidebar
	link      = ui.Link
	principal = ui.Principal
)

const (
	areaDocs     = ui.AreaDocs
	settingsPath = ui.SettingsPath
)

var (
	newLayout   = ui.NewLayout
	localeOf    = ui.LocaleOf
	compareBool = ui.CompareBool
)

func authorizeAll[T any](p *principal, permission authz.Permission, things []T, ownerOf func(T) string) error {
	return ui.AuthorizeAll(p, permission, things, ownerOf)
}
