package web

import (
	"dg/web/ui"
)

// keysHandler serves the keys of an organisation.
type keysHandler struct {
	*ui.Pages
	*ui.Guard
	KeysModules
	settings ui.SettingsNotices
}

// KeysModules are what the wing uses of other modules.
type KeysModules struct {
	Keys    Keys
	Changes KeyChanges
	Forks   ui.ForkList
}

// newKeys returns the wing.
func newKeys(pages *ui.Pages, guard *ui.Guard, m KeysModules) (*keysHandler, error) {
	h := &keysHandler{Pages: pages, Guard: guard, KeysModules: m}
	h.settings = h.expiringKeys
	return h, nil
}
