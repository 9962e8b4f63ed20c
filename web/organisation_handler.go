package web

import (
	"dg/web/ui"
)

// organisationHandler serves the settings of an organisation but its keys and its log.
type organisationHandler struct {
	*ui.Pages
	*ui.Guard
	OrganisationModules
	settings ui.SettingsNotices
}

// OrganisationModules are what the wing uses of other modules.
type OrganisationModules struct {
	Organisations Settings
	People        People
	Keys          ReadingKeys
	Forks         ui.ForkList
}

// newOrganisation returns the wing.
func newOrganisation(pages *ui.Pages, guard *ui.Guard, settings ui.SettingsNotices, m OrganisationModules) (*organisationHandler, error) {
	return &organisationHandler{pages, guard, m, settings}, nil
}
