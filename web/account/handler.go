package account

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the sign-in, reset links, and the account of the signed-in person.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Service Service
}

// New returns the handler of the sign-in and of accounts.
func New(pages *ui.Pages, guard *ui.Guard, s Service) *Handler {
	return &Handler{pages.With(templates), guard, s}
}
