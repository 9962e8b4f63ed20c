package account

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the sign-in, reset links, and the account of the signed-in person.
type Handler struct{ ui.Base }

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates)} }
