// Package instant writes instants as the API shows them: RFC 3339 in UTC with three decimals
// (rules.md, Formats).
package instant

import "time"

// Layout is the layout of an instant that is in UTC, for package time.
const Layout = "2006-01-02T15:04:05.000Z"

// Format returns the instant, cut off to the millisecond.
func Format(t time.Time) string { return t.UTC().Format(Layout) }
