package reports

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the reports of an organisation.
type Handler struct{ ui.Base }

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates)} }
