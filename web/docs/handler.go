package docs

import (
	"embed"
	"sync"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the documentation of the API.
type Handler struct {
	*ui.Pages
	Modules
	documentation documentation
	texts         func() ([]pageText, error) // of each page, in the order of Pages
}

// Modules are the services that fill the examples.
type Modules struct {
	Groups ui.GroupLister
	Forks  ui.ForkLister
}

// New returns the handler. It panics if the embedded docs.json or reference.json is invalid.
func New(pages *ui.Pages, m Modules) *Handler {
	h := &Handler{Pages: pages.With(templates), Modules: m, documentation: loadDocumentation()}
	h.texts = sync.OnceValues(h.pageTexts)
	return h
}
