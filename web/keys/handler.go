package keys

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the keys of an organisation.
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
	Log     Log
	Forks   ui.ForkLister
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) (*Handler, error) {
	pages, err := pages.With(templates)
	if err != nil {
		return nil, err
	}
	h := &Handler{Pages: pages, Guard: guard, Modules: m}
	h.settings = h.ExpiringKeys
	return h, nil
}
