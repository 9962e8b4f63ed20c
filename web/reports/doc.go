// Package reports serves the list of forks and a dashboard of each. The figures come from
// modules/reports, as the API's do.
//
// A dashboard reads the totals for the comparison, then the report, so that no request waits for a
// slot while it holds one.
package reports
