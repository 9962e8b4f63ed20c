package keys

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the screens of an organisation's keys.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Keys Keys
	Log  Log
}

// New returns the handler of the screens of keys.
func New(pages *ui.Pages, guard *ui.Guard, k Keys, l Log) *Handler {
	return &Handler{pages.With(templates), guard, k, l}
}
