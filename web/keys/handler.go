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
	Keys     Keys
	settings ui.SettingsNotices
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, k Keys) *Handler {
	h := &Handler{Pages: pages.With(templates), Guard: guard, Keys: k}
	h.settings = h.ExpiringKeys
	return h
}
