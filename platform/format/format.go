// Package format formats values for API responses and files: instants, and cells of CSV.
package format

import "time"

// Instant formats t in UTC, truncated to the millisecond: 2026-03-01T09:30:00.000Z.
func Instant(t time.Time) string { return string(AppendInstant(nil, t.UnixMilli())) }

// AppendInstant appends an instant, in milliseconds since 1970, as Instant does. It adds the
// milliseconds itself, because package time has a fast path for RFC3339.
func AppendInstant(b []byte, ms int64) []byte {
	t := time.UnixMilli(ms).UTC()
	b = t.AppendFormat(b, time.RFC3339)
	fraction := t.Nanosecond() / 1e6
	return append(b[:len(b)-len("Z")], '.', byte('0'+fraction/100), byte('0'+fraction/10%10),
		byte('0'+fraction%10), 'Z')
}
