package web

// reportsHandler serves the reports of an organisation.
type reportsHandler struct {
	*Pages
	*Guard
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
func newReports(pages *Pages, guard *Guard, m ReportsModules) (*reportsHandler, error) {
	return &reportsHandler{pages, guard, m}, nil
}
