// Package reports serves the screens of reports: the list of forks, and a dashboard of each fork.
// The figures come from modules/reports, as the API's do.
//
// A dashboard reads the report on its period, and totals for the comparison (comparison.go). It
// reads one after the other, so that no request waits for a slot while it holds one.
package reports
