// Package reports serves the list of forks and a dashboard of each. The figures come from
// modules/reports, as the API's do.
//
// A dashboard closes the report of the compared period before it opens its own: no request waits for
// a slot while it holds one.
package reports
