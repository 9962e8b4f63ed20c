package reports

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the reports of an organisation.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Modules
}

// Modules are what the wing uses of other modules.
type Modules struct {
	Forks   Forks
	Groups  ui.GroupLister
	Reports Reports
	Exports Exports
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) *Handler {
	return &Handler{pages.With(templates), guard, m}
}
