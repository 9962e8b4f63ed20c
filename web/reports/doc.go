// Package reports serves the screens of reports: the list of forks, and a dashboard of each. Their
// figures come from the same calls as those of the API.
//
// A dashboard shows two reports: its period's, and the totals of the one that it is compared with
// (comparison.go). One is read after the other, so that no request waits for a slot among the
// reports while it holds one.
package reports
