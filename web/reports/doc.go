// Package reports serves the list of forks and a dashboard of each. The figures come from
// modules/reports, as the API's do. The list has no menu of groups: the difference between its totals
// and its rows would reveal the figures of a fork that it hides.
//
// A dashboard closes the report of the compared period before it opens its own: no request waits for
// a slot while it holds one.
package reports
