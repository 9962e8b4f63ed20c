package web

// organisationHandler serves the settings of an organisation but its keys and its log.
type organisationHandler struct {
	*Pages
	*Guard
	OrganisationModules
	settings SettingsNotices
}

// OrganisationModules are what the wing uses of other modules.
type OrganisationModules struct {
	Organisations Settings
	People        People
	Keys          ReadingKeys
	Forks         ForkList
}

// newOrganisation returns the wing.
func newOrganisation(pages *Pages, guard *Guard, settings SettingsNotices, m OrganisationModules) (*organisationHandler, error) {
	return &organisationHandler{pages, guard, m, settings}, nil
}
