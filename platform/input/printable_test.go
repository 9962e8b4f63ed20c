package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/input"
)

func TestInvisibleCharactersAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"letters":                      {"Power BI, é (2)", true},
		"a combining accent":           {"e\u0301", true},
		"Arabic":                       {"اختبار", true},
		"Persian with a non-joiner":    {"می\u200cخواهم", true},
		"Hindi with a joiner":          {"क्\u200dष", true},
		"a family":                     {"👩\u200d👩\u200d👧", true},
		"a heart in colour":            {"❤\ufe0f", true},
		"a heart on fire":              {"❤\ufe0f\u200d🔥", true},
		"a skin tone and a profession": {"👩🏽\u200d💻", true},
		"a flag":                       {"🇳🇱", true},
		"a key cap":                    {"1\ufe0f\u20e3", true},
		"Chinese":                      {"学习", true},
		"a zero-width space":           {"Power\u200bBI", false},
		"a byte-order mark":            {"\ufeffBI", false},
		"a word joiner":                {"B\u2060I", false},
		"a soft hyphen":                {"B\u00adI", false},
		"a joiner in Latin":            {"B\u200dI", false},
		"a non-joiner in Latin":        {"B\u200cI", false},
		"a joiner at the end":          {"👩\u200d", false},
		"a non-joiner at the end":      {"می\u200c", false},
		"a direction":                  {"\u202eIB\u202c", false},
		"an isolate":                   {"\u2066BI\u2069", false},
		"a style on a letter":          {"B\ufe0fI", false},
		"a style on a sign":            {"1+\ufe0f1", false},
		"a Hangul filler":              {"B\u3164I", false},
		"a braille blank":              {"B\u2800I", false},
		"a grapheme joiner":            {"B\u034fI", false},
		"a tag":                        {"B\U000e0041I", false},
		"a line separator":             {"B\u2028I", false},
		"a control character":          {"B\x07I", false},
		"a private character":          {"B\ue000I", false},
	} {
		require.Equal(t, c.want, input.IsPrintable(c.text), name)
	}
}
