package account

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the sign-in, the reset link, and the account of a signed-in person.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Service Service
}

// New returns the handler of these screens.
func New(pages *ui.Pages, guard *ui.Guard, s Service) *Handler {
	return &Handler{pages.With(templates), guard, s}
}
