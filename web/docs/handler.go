package docs

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the documentation of the API.
type Handler struct {
	*ui.Pages
	Modules
	documentation documentation
}

// Modules are what the wing uses of other modules, for its examples.
type Modules struct {
	Groups ui.GroupLister
	Forks  ui.ForkLister
}

// New returns the wing.
func New(pages *ui.Pages, m Modules) *Handler {
	return &Handler{pages.With(templates), m, loadDocumentation()}
}
