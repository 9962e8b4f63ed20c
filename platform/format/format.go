// Package format formats values for API responses and files: instants, and text cells of CSV.
package format

import "time"

// InstantLayout is RFC 3339 with three decimals, for an instant in UTC: Z is literal.
const InstantLayout = "2006-01-02T15:04:05.000Z"

// Instant formats t in UTC, truncated to the millisecond.
func Instant(t time.Time) string { return t.UTC().Format(InstantLayout) }
