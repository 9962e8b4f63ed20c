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
	Modules
	settings ui.SettingsNotices
}

// Modules are what the wing uses of other modules.
type Modules struct {
	Keys    Keys
	Changes Changes
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) *Handler {
	h := &Handler{Pages: pages.With(templates), Guard: guard, Modules: m}
	h.settings = h.ExpiringKeys
	return h
}
