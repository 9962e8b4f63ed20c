package web

// keysHandler serves the keys of an organisation.
type keysHandler struct {
	*Pages
	*Guard
	KeysModules
	settings SettingsNotices
}

// KeysModules are what the wing uses of other modules.
type KeysModules struct {
	Keys    Keys
	Changes KeyChanges
	Forks   ForkList
}

// newKeys returns the wing.
func newKeys(pages *Pages, guard *Guard, m KeysModules) (*keysHandler, error) {
	h := &keysHandler{Pages: pages, Guard: guard, KeysModules: m}
	h.settings = h.expiringKeys
	return h, nil
}
