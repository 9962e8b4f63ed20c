package audit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Text is cut at the edge of a character.
func TestSanitise(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"empty":                       {"", 4, ""},
		"shorter":                     {"abc", 4, "abc"},
		"as long as allowed":          {"abcd", 4, "abcd"},
		"one too long":                {"abcde", 4, "abcd"},
		"nothing allowed":             {"abc", 0, ""},
		"newlines and markup stay":    {"a\r\n<b>", 9, "a\r\n<b>"},
		"NUL":                         {"a\x00b", 9, "a\uFFFDb"},
		"NUL alone":                   {"\x00", 3, "\uFFFD"},
		"NUL that grows too long":     {"ab\x00", 4, "ab"},
		"invalid byte":                {"a\xffb", 9, "a\uFFFDb"},
		"invalid bytes in a row":      {"a\xff\xfe\xfdb", 9, "a\uFFFDb"},
		"a surrogate":                 {"a\xed\xa0\x80b", 9, "a\uFFFDb"},
		"an overlong slash":           {"a\xc0\xafb", 9, "a\uFFFDb"},
		"a character cut by sender":   {"a\xe2\x82", 9, "a\uFFFD"},
		"two bytes, cut after one":    {"abcé", 4, "abc"},
		"two bytes, cut after two":    {"abé", 4, "abé"},
		"three bytes, cut after one":  {"abc€", 4, "abc"},
		"three bytes, cut after two":  {"ab€", 4, "ab"},
		"three bytes, whole":          {"a€b", 4, "a€"},
		"four bytes, cut after one":   {"abc😀", 4, "abc"},
		"four bytes, cut after two":   {"ab😀", 4, "ab"},
		"four bytes, cut after three": {"a😀", 4, "a"},
		"four bytes, whole":           {"😀a", 4, "😀"},
		"long":                        {strings.Repeat("€", 1000), 1024, strings.Repeat("€", 341)},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Sanitise(c.text, c.limit)) })
	}
}

func FuzzSanitise(f *testing.F) {
	f.Add("a\x00\xff€", uint8(3))
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		got := Sanitise(text, int(limit))
		if len(got) > int(limit) || !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Fatalf("Sanitise(%q, %d) = %q", text, limit, got)
		}
		if Sanitise(got, int(limit)) != got {
			t.Fatalf("Sanitise(%q, %d) = %q, which is not sanitised", text, limit, got)
		}
		whole := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		if !strings.HasPrefix(whole, got) || len(got) < min(len(whole), int(limit)-3) {
			t.Fatalf("Sanitise(%q, %d) = %q, which is cut too much", text, limit, got)
		}
	})
}
