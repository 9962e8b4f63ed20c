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
	ui.Base
	documentation documentation
	texts         func() ([]pageText, error) // texts of the pages, in the order of Pages
}

// New returns the handler. It panics if an embedded JSON file is invalid.
func New(b ui.Base) *Handler {
	h := &Handler{Base: b.With(templates), documentation: loadDocumentation()}
	h.texts = sync.OnceValues(h.pageTexts)
	return h
}
