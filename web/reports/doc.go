// Package reports is the reports of an organisation: the list of forks, and a dashboard of each,
// from the calls that answer the API.
//
// A dashboard shows two reports: its period's, and the totals of the one that it is compared with
// (comparison.go). One is read after the other, so that no request waits for a place among the
// reports while it holds one.
package reports
