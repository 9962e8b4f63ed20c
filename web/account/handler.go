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
	Modules
}

// Handler serves the account of a signed-in person.
type Handler struct {
	*ui.Pages
	Modules
}

// Modules are what the wing uses of other modules.
type Modules struct {
	SignIns  SignIns
	Sessions Sessions
	Resets   Resets
	Accounts Accounts
	TwoStep  TwoStep
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) (*SignInHandler, *Handler) {
	pages = pages.With(templates)
	return &SignInHandler{pages, guard, m}, &Handler{pages, m}
}
