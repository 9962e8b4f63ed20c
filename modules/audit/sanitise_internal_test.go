package audit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rules.md, Audit log: client text becomes valid UTF-8 without NUL, and is truncated at the last
// character that fits.
func TestSanitiseKeepsWhatFits(t *testing.T) {
	t.Parallel()
	part := rapid.OneOf(rapid.SampledFrom([]string{
		"\x00", "\xff", "\xed\xa0\x80", "\xc0\xaf", "\xe2\x82", "é", "€", "😀", "\r\n<b>",
	}), rapid.StringN(0, 3, -1))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		limit := rapid.IntRange(0, 30).Draw(t, "limit")
		got := Sanitise(text, limit)
		require.LessOrEqual(t, len(got), limit)
		require.True(t, utf8.ValidString(got))
		require.NotContains(t, got, "\x00")
		require.Equal(t, got, Sanitise(got, limit), "it is not changed again")
		whole := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		require.True(t, strings.HasPrefix(whole, got), "%q", got)
		_, next := utf8.DecodeRuneInString(whole[len(got):])
		require.True(t, got == whole || len(got)+next > limit, "%q is cut too much", got)
	})
}
