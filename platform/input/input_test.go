package input_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/input"
)

// rules.md, Formats: a day is an existing date in the form YYYY-MM-DD, in ASCII digits and the years 2000 to 2199.
func TestParseDayIsStrict(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2000-01-01": time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		"2000-02-29": time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC),
		"2199-12-31": time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC),
	} {
		got, ok := input.ParseDay(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "1999-12-31", "2200-01-01", "2023-02-29", "2100-02-29", "2024-00-01", "2024-13-01", "2024-01-00",
		"2024-01-32", "2024-04-31", " 2024-01-01", "2024-01-01 ", "2024-01-01\n", "2024-1-01", "2024-01-1",
		"2024-1-001", "24-01-01", "02024-01-01", "+024-01-01", "-024-01-01", "+2024-01-01", "20240101", "2024/01/01",
		"01-01-2024", "2024-01-01T00:00:00Z", "2024-01-01Z", "2024-W01-1", "2024-001", "٢٠٢٤-٠١-٠١", "2024-01-0١",
		"２０２４-01-01", "2024‐01‐01", "2024-01-0x", "2024-01- 1", "2024- 1-01", "today", "0000-00-00", "2024-01-01\x00",
	} {
		_, ok := input.ParseDay(text)
		require.False(t, ok, "%q", text)
	}
}

// A text has 1 to 200 characters, at least one of them visible, and no control characters.
func TestValidTextRejectsBlanksAndControls(t *testing.T) {
	for name, text := range map[string]string{
		"a letter": "a", "blanks around": " a ", "right-to-left marks": "\u202eabc\u200f",
		"a combining accent": "e\u0301", "punctuation alone": "—",
		"200 letters of three bytes": strings.Repeat("€", 200),
	} {
		require.True(t, input.ValidText(text), name)
	}
	for name, text := range map[string]string{
		"empty": "", "blanks of other scripts": "\u00a0\u2003\u3000",
		"characters of no appearance": "\u200b\ufeff\u2060", "201 letters": strings.Repeat("a", 201),
		"201 with a blank at the end": strings.Repeat("a", 200) + " ", "NUL": "a\x00", "DEL": "a\x7f",
		"a C1 control": "a\u0085b", "invalid UTF-8": "a\xff", "a surrogate": "a\xed\xa0\x80",
	} {
		require.False(t, input.ValidText(text), name)
	}
}

type form struct {
	Title  string   `json:"title,omitempty" validate:"text"`
	Scopes []string `json:"scopes" validate:"min=1,unique,dive,oneof=a:read b:read"`
}

// Check reports the first invalid field, by its json tag.
func TestCheckReportsTheFirstInvalidField(t *testing.T) {
	valid := form{Title: "t", Scopes: []string{"a:read"}}
	checker := input.New(nil, nil)
	require.NoError(t, checker.Check(valid))
	require.NoError(t, checker.Check(&valid))

	const text = "`title` must have 1 to 200 characters, not all blank and without control characters."
	for name, c := range map[string]struct {
		in             form
		field, message string
	}{
		"text":  {form{" ", valid.Scopes}, "title", text},
		"none":  {form{"t", nil}, "scopes", "`scopes` must have at least one value."},
		"twice": {form{"t", []string{"a:read", "a:read"}}, "scopes", "`scopes` must not contain a value twice."},
		"unknown": {form{"t", []string{"a:read", "%s"}}, "scopes",
			"`scopes` contains an unknown value. Known values: a:read, b:read."},
		"first": {form{}, "title", text},
	} {
		t.Run(name, func(t *testing.T) {
			err := checker.Check(c.in)
			require.True(t, apperr.Is(err, apperr.Validation), "%v", err)
			require.Equal(t, c.field, apperr.From(err).Field)
			require.Equal(t, c.message, apperr.From(err).Message)
		})
	}
}

// The message for "field rule" precedes that for "rule". A field has one violation. "{field}" in a value is kept.
func TestFieldMessagePrecedesRuleMessage(t *testing.T) {
	type row struct {
		A string     `json:"a" validate:"required"`
		C *time.Time `json:"c,omitempty" validate:"required"`
		D string     `json:"d" validate:"even,text"` // breaks two rules; the first one is reported
		E []string   `json:"e" validate:"dive,oneof=a b"`
	}
	checker := input.New(map[string]string{"required": "any", "a required": "of a", "even": "{field}: {value} is odd"},
		map[string]func(input.Field) bool{"even": input.StringRule(func(s string) bool { return len(s)%2 == 0 })})
	var got []string
	for _, violation := range checker.Violations(row{D: "{field}", E: []string{"a", "c"}}) {
		got = append(got, violation.Path+" "+violation.Message)
	}
	require.Equal(t, []string{"a of a", "c any", "d d: {field} is odd",
		"e[1] `e` contains an unknown value. Known values: a, b."}, got)
}

// rules.md, Formats: an id in any other form than the stored one is unknown.
func TestIsIDAcceptsTheStoredFormOnly(t *testing.T) {
	const id = "01234567-89ab-cdef-0123-456789abcdef"
	require.True(t, input.IsID(id))
	for _, other := range []string{
		"", "group", strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id,
		id[1:], id + "a", " " + id, id + "\n", strings.Replace(id, "4", "٤", 1), "\x00", "\xff",
	} {
		require.False(t, input.IsID(other), "%q", other)
	}
}

// Fold ignores case, accents and outer spaces. It replaces ligatures, full-width letters and the final sigma.
func TestFoldIgnoresCaseAndAccents(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Dock  7": "dock  7", "\tDock 7\t": "dock 7", "Élodie": "elodie", "E\u0301LODIE": "elodie",
		"Straße": "strasse", "STRAẞE": "strasse", "Łódź": "lodz", "ΟΔΟΣ": "οδοσ", "οδος": "οδοσ",
		"İstanbul": "istanbul", "ﬁlm": "film", "ＡＢＣ": "abc", "أحمد": "احمد", "日": "日", "\u00a0O’Neilʼs": "o'neil's",
	} {
		require.Equal(t, want, input.Fold(text), "%q", text)
		require.Equal(t, want, input.Fold(want), "folded already")
	}
}

// A text must not contain invisible characters, except joiners and variation selectors that a script or emoji needs.
func TestIsPrintableRejectsInvisibleCharacters(t *testing.T) {
	for name, text := range map[string]string{
		"letters": "Power BI, é (2)", "a combining accent": "e\u0301", "Arabic": "اختبار",
		"Persian with a non-joiner": "می\u200cخواهم", "Hindi with a joiner": "क्\u200dष",
		"a family": "👩\u200d👩\u200d👧", "a heart in colour": "❤\ufe0f", "a heart on fire": "❤\ufe0f\u200d🔥",
		"a skin tone and a profession": "👩🏽\u200d💻", "a flag": "🇳🇱", "Chinese": "学习",
	} {
		require.True(t, input.IsPrintable(text), name)
	}
	for name, text := range map[string]string{
		"a key cap": "1\ufe0f\u20e3", "a zero-width space": "Power\u200bBI", "a byte-order mark": "\ufeffBI",
		"a word joiner": "B\u2060I", "a soft hyphen": "B\u00adI", "a joiner in Latin": "B\u200dI",
		"a non-joiner in Latin": "B\u200cI", "a joiner at the end": "👩\u200d",
		"a non-joiner at the end": "می\u200c", "a direction": "\u202eIB\u202c", "an isolate": "\u2066BI\u2069",
		"a style on a letter": "B\ufe0fI", "a style on a sign": "1+\ufe0f1", "a Hangul filler": "B\u3164I",
		"a braille blank": "B\u2800I", "a grapheme joiner": "B\u034fI", "a tag": "B\U000e0041I",
		"a line separator": "B\u2028I", "a control character": "B\x07I", "a private character": "B\ue000I",
	} {
		require.False(t, input.IsPrintable(text), name)
	}
}
