package organisation

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the settings of an organisation, except its keys and audit log.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Modules
	settings ui.SettingsNotices
}

// Modules are the services that these screens call.
type Modules struct {
	Organisations Settings
	People        People
	Keys          ui.KeyLister
}

// New returns the handler. settings returns the notices that all settings screens show.
func New(pages *ui.Pages, guard *ui.Guard, settings ui.SettingsNotices, m Modules) *Handler {
	return &Handler{pages.With(templates), guard, m, settings}
}
