package keys

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler shows the keys of an organisation.
type Handler struct {
	*ui.Pages
	Modules
	settings ui.SettingsNotices
}

// FormHandler creates, renames, replaces and revokes keys.
type FormHandler struct {
	*Handler
	*ui.Guard
}

// Modules are what the wing uses of other modules.
type Modules struct {
	Keys    Keys
	Changes Changes
	Log     Log
	Forks   ui.ForkLister
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) (*Handler, *FormHandler) {
	h := &Handler{Pages: pages.With(templates), Modules: m}
	h.settings = h.ExpiringKeys
	return h, &FormHandler{h, guard}
}
