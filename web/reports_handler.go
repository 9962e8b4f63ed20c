package web

import (
	"dg/web/ui"
)

// reportsHandler serves the reports of an organisation.
type reportsHandler struct {
	*ui.Pages
	*ui.Guard
	ReportsModules
}

// ReportsModules are what the wing uses of other modules.
type ReportsModules struct {
	Forks   Forks
	Groups  Groups
	Reports Reports
	Exports Exports
}

// newReports returns the wing.
func newReports(pages *ui.Pages, guard *ui.Guard, m ReportsModules) (*reportsHandler, error) {
	return &reportsHandler{pages, guard, m}, nil
}
