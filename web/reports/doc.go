// Package reports serves the list of forks and a dashboard of each. The figures come from
// modules/reports, as the API's do.
//
// A dashboard opens its report and those of the comparison one after another: no request waits for
// a slot while it holds one.
package reports
