// Package reports serves the list of forks and a dashboard of each. The figures come from
// modules/reports, as the API's do.
//
// A dashboard opens the report of the compared period and its own one after the other: no request
// waits for a slot while it holds one.
package reports
