package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Formats: half away from zero, once, at the end.
func TestFiguresAreRoundedHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	for want, got := range map[string][]byte{
		"0":      meanScore(0, 0).Append(nil),
		"62.6":   meanScore(6255, 1).Append(nil), // a half goes up
		"99.9":   meanScore(9994, 1).Append(nil),
		"33.3":   meanScore(10_000, 3).Append(nil),
		"0.6667": rate(2, 3).Append(nil),
		"1":      rate(7, 7).Append(nil),
		"0.0001": rate(1, 20_000).Append(nil), // a half goes up
		"12.4":   roundScore(1235).Append(nil),
	} {
		require.Equal(t, want, string(got))
	}
	require.Equal(t, Rate(0), rate(0, 0))
	const plays = 1_000_000_000 // without overflow
	require.Equal(t, Percent(1000), meanScore(10_000*plays, plays))
	require.Equal(t, Rate(10_000), rate(plays, plays))
}
