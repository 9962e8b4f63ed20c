// Package instant writes instants as the API shows them: RFC 3339 in UTC with three decimals.
package instant

import "time"

// Layout is a layout of package time. The instant must be in UTC already, because Z is literal.
const Layout = "2006-01-02T15:04:05.000Z"

// Format returns the instant in UTC, truncated to the millisecond.
func Format(t time.Time) string { return t.UTC().Format(Layout) }
