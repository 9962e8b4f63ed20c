package format_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/format"
)

// rules.md, Formats: UTC, three decimals, cut off and not rounded.
func TestInstantHasThreeDecimalsInUTC(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 30, 0, 999_999, time.FixedZone("CET", 3600))
	require.Equal(t, "2026-03-01T09:30:00.000Z", format.Instant(at))
}
