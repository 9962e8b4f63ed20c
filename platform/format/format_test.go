package format_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/platform/format"
)

// rules.md, CSV: the guard's apostrophe precedes a formula, even after blanks, ";" or TAB. Quotes follow RFC 4180.
func TestTextCellsAreQuotedAndGuarded(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Ada Lovelace": "Ada Lovelace", "P-7K3M9QXA2F": "P-7K3M9QXA2F", "\u202eevil": "\u202eevil",
		"=1+1": "'=1+1", "+49 30": "'+49 30", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "x=1": "x=1", "'=1": "'=1",
		"\tx": "'\tx", "\rx": "\"'\rx\"", "\nx": "\"'\nx\"", "\x00x": "'\x00x",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠x": "'＠x",
		"＜1":            "＜1", // a full-width sign that does not begin a formula
		"Lovelace, Ada": `"Lovelace, Ada"`, "a\nb": "\"a\nb\"",
		`"=1"`:  `"""=1"""`, // the quote precedes the sign
		" =1+1": "' =1+1", "\u2003\u3000@x": "'\u2003\u3000@x", "\ufeff=1": "'\ufeff=1", " x=1": " x=1",
		"a;=1+1": "a;'=1+1", "a\t@x": "a\t'@x", ";-1;+2;x=3": ";'-1;'+2;x=3", "a;\rb": "\"a;'\rb\"", "a,b;=1": `"a,b;'=1"`,
		`a;"=1"`:          `"a;'""=1"""`, // a reader that splits at ";" may drop the quotes
		"a;\u00a0-1\t ＠b": "a;'\u00a0-1\t' ＠b", "a; b =1": "a; b =1",
		"\xc2=1":                      "\xc2=1", // half of a UTF-8 character is not a blank
		strings.Repeat("a", 1<<16):    strings.Repeat("a", 1<<16),
		"=" + strings.Repeat(`"`, 99): `"'=` + strings.Repeat(`"`, 198) + `"`,
	} {
		require.Equal(t, "x,"+want, string(format.CSV.AppendCell([]byte("x,"), []byte(text))), "%.60q", text)
	}
}

// The Excel dialect guards a sign after every separator, and quotes cells with any separator.
func TestExcelTextCellsAreGuardedAfterEverySeparator(t *testing.T) {
	for text, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "=1+1": "'=1+1", "Lovelace, Ada": `"Lovelace, Ada"`, "a;b": `"a;b"`,
		"a\tb": "\"a\tb\"", "a,=1": `"a,'=1"`, "a;=1": `"a;'=1"`, "a\n@x": "\"a\n'@x\"", "a\r＝1": "\"a\r'＝1\"",
		`a,"-1"`: `"a,'""-1"""`, "Ada, -1": `"Ada,' -1"`, "a\n\u3000=1": "\"a\n'\u3000=1\"", "x=1": "x=1",
	} {
		require.Equal(t, "x;"+want, string(format.ExcelSemicolon.AppendCell([]byte("x;"), []byte(text))), "%q", text)
	}
}

// readCell parses a row of three cells, with cell in the middle. encoding/csv changes CRLF within quotes to LF.
func readCell(t require.TestingT, cell string) string {
	rows, err := csv.NewReader(strings.NewReader("a," + cell + ",b\n")).ReadAll()
	require.NoError(t, err, "%q", cell)
	require.Len(t, rows, 1, "%q", cell)
	require.Len(t, rows[0], 3, "%q", cell)
	return rows[0][1]
}

// textGenerator draws texts with many characters that quoting or the formula guard treats specially.
var textGenerator = rapid.Custom(func(t *rapid.T) string {
	part := rapid.OneOf(rapid.SampledFrom([]string{"=", ";", `"`, " ", ","}), rapid.SampledFrom([]string{"+", "-", "@",
		"＝", "＋", "－", "＠", "\t", "\r", "\n", "\r\n", "\x00", "'", "；", "\u00a0", "\u3000", "\u2028", "\u200b",
		"\u00ad", "\u0085", "\ufeff", "\xef\xbc", "\xc2", "\xff", "\xe2\x80", "a"}), rapid.StringN(0, 3, -1))
	return strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
})

// No cell of CSV may match the first two patterns. No cell for Excel may match the third.
const (
	formulaAtStart             = `^[\p{Z}\p{C}]*[=+\-@＝＋－＠]|^\p{Z}*[\t\r\n\x00]`
	formulaAfterSemicolonOrTab = `[;\t][\p{Z}\p{C}"]*[=+\-@＝＋－＠]`
	formulaAfterSeparator      = `[;\t,\r\n][\p{Z}\p{C}"]*[=+\-@＝＋－＠]`
)

// A CSV reader gets every text back, except for apostrophes. No cell contains a formula.
func TestCellsReadBackWithoutFormulas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := textGenerator.Draw(t, "text")
		cell := string(format.CSV.AppendCell(nil, []byte(text)))
		read := readCell(t, cell)
		want := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "'", "")
		require.Equal(t, want, strings.ReplaceAll(read, "'", ""))
		require.NotRegexp(t, formulaAtStart, read)
		require.NotRegexp(t, formulaAfterSemicolonOrTab, read)
		require.NotRegexp(t, formulaAfterSeparator, readCell(t,
			string(format.ExcelSemicolon.AppendCell(nil, []byte(text)))))
	})
}

// rules.md, Formats: instants are truncated to milliseconds. They are in UTC, with three decimals.
func TestInstantHasThreeDecimalsInUTC(t *testing.T) {
	instant := time.Date(2026, 3, 1, 10, 30, 0, 999_999, time.FixedZone("CET", 3600))
	require.Equal(t, "2026-03-01T09:30:00.000Z", format.Instant(instant))
}
