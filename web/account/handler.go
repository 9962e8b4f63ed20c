package account

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// SignInHandler serves the screens that begin and end a session, and the reset link.
type SignInHandler struct {
	*ui.Pages
	*ui.Guard
	Service Service
}

// Handler serves the account of a signed-in person.
type Handler struct {
	*ui.Pages
	Service Service
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, s Service) (*SignInHandler, *Handler) {
	pages = pages.With(templates)
	return &SignInHandler{pages, guard, s}, &Handler{pages, s}
}
