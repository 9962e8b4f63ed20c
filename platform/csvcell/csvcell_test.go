package csvcell_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/platform/csvcell"
)

// rules.md, CSV, Formula guard: a text cell that starts with =, +, -, @ (full-width too), TAB, CR,
// LF or NUL, blanks before it left out, gets a leading ', and so does such a sign behind a ; or TAB
// within the cell; RFC 4180 quoting.
func TestTextCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"Ada Lovelace":                "Ada Lovelace",
		"P-7K3M9QXA2F":                "P-7K3M9QXA2F",
		"=1+1":                        "'=1+1",
		"+49 30":                      "'+49 30",
		"-1":                          "'-1",
		"@SUM(A1)":                    "'@SUM(A1)",
		"\tx":                         "'\tx",
		"\rx":                         "\"'\rx\"",
		"\nx":                         "\"'\nx\"",
		"\x00x":                       "'\x00x",
		"=cmd|'/C calc'!A0":           "'=cmd|'/C calc'!A0",
		`=HYPERLINK("http://x","y")`:  `"'=HYPERLINK(""http://x"",""y"")"`,
		`"quoted"`:                    `"""quoted"""`,
		`"=1"`:                        `"""=1"""`, // what it starts with is a quote
		"Lovelace, Ada":               `"Lovelace, Ada"`,
		"a\nb":                        "\"a\nb\"",
		"a\rb":                        "\"a\rb\"",
		" =1+1":                       "' =1+1",
		"  ＋1":                        "'  ＋1",
		"\u00a0-1":                    "'\u00a0-1",
		"\u2003\u3000@x":              "'\u2003\u3000@x",
		"\ufeff=1":                    "'\ufeff=1",
		"\u200b\v＝1":                  "'\u200b\v＝1",
		" \tx":                        "' \tx",
		" x=1":                        " x=1",
		" \u00a0":                     " \u00a0",
		` "=1"`:                       `" ""=1"""`, // what it starts with is a quote
		"'=1":                         "'=1",
		"x=1":                         "x=1",
		"＝1+1":                        "'＝1+1",
		"＋1":                          "'＋1",
		"－1":                          "'－1",
		"＠x":                          "'＠x",
		"x＝1":                         "x＝1",
		"＜1":                          "＜1", // a full-width sign that begins no formula
		"a;=1+1":                      "a;'=1+1",
		"a;;=1":                       "a;;'=1",
		"a\t@x":                       "a\t'@x",
		"\t=1":                        "'\t'=1",
		";-1;+2;x=3":                  ";'-1;'+2;x=3",
		"a;＝1\t＠b":                    "a;'＝1\t'＠b",
		"a;\x00b;\tc":                 "a;'\x00b;'\tc",
		"a;\rb":                       "\"a;'\rb\"",
		"a,b;=1":                      `"a,b;'=1"`,
		`a;"=1"`:                      `"a;'""=1"""`, // who splits at ; may drop the quotes
		`a;"b"`:                       `"a;""b"""`,
		"a; =1":                       "a;' =1",
		"a;\u00a0-1\t ＠b":             "a;'\u00a0-1\t' ＠b",
		`a; "=1"`:                     `"a;' ""=1"""`,
		"a; b =1":                     "a; b =1",
		"\xc2=1":                      "\xc2=1", // half of a character is no blank
		"data=1/2;data=3/4;":          "data=1/2;data=3/4;",
		"\u202eevil":                  "\u202eevil",
		"１２３":                         "１２３",
		strings.Repeat("a", 1<<16):    strings.Repeat("a", 1<<16),
		"=" + strings.Repeat(`"`, 99): `"'=` + strings.Repeat(`"`, 198) + `"`,
	} {
		require.Equal(t, "x,"+want, string(csvcell.AppendText([]byte("x,"), text)), "%.60q", text)
	}
}

// For spreadsheets a sign is guarded behind every separator, and each separator is quoted.
func TestSpreadsheetTextCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada Lovelace":  "Ada Lovelace",
		"=1+1":          "'=1+1",
		"Lovelace, Ada": `"Lovelace, Ada"`,
		"a;b":           `"a;b"`,
		"a\tb":          "\"a\tb\"",
		"a,=1":          `"a,'=1"`,
		"a;=1":          `"a;'=1"`,
		"a\n@x":         "\"a\n'@x\"",
		"a\r＝1":         "\"a\r'＝1\"",
		`a,"-1"`:        `"a,'""-1"""`,
		"Ada, -1":       `"Ada,' -1"`,
		"a\n\u3000=1":   "\"a\n'\u3000=1\"",
		"x=1":           "x=1",
	} {
		require.Equal(t, "x;"+want, string(csvcell.AppendSpreadsheetText([]byte("x;"), text)),
			"%.60q", text)
	}
}

// readCell reads a row of one cell between two others, as a client would. encoding/csv makes LF of
// CRLF within quotes.
func readCell(t require.TestingT, cell string) string {
	reader := csv.NewReader(strings.NewReader("a," + cell + ",b\n"))
	rows, err := reader.ReadAll()
	require.NoError(t, err, "%q", cell)
	require.Len(t, rows, 1, "%q", cell)
	require.Len(t, rows[0], 3, "%q", cell)
	require.Equal(t, "a", rows[0][0])
	require.Equal(t, "b", rows[0][2])
	return rows[0][1]
}

// beginsFormula says whether a cell that a reader sees begins a formula, or would once the reader
// has trimmed blanks.
func beginsFormula(cell string) bool {
	first, _ := utf8.DecodeRuneInString(trimBlanks(cell))
	return first != utf8.RuneError && strings.ContainsRune("=+-@\t\r\n\x00＝＋－＠", first)
}

// trimBlanks takes what shows nothing from the start of a cell, but for the control characters that
// are guarded themselves.
func trimBlanks(cell string) string {
	return strings.TrimLeftFunc(cell, func(r rune) bool {
		return !strings.ContainsRune("\t\r\n\x00", r) &&
			(unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Z))
	})
}

// behindQuotes takes blanks and quotes from the start of a cell.
func behindQuotes(cell string) string {
	for {
		rest := strings.TrimLeft(trimBlanks(cell), `"`)
		if rest == cell {
			return rest
		}
		cell = rest
	}
}

// unguarded takes the apostrophes out of a cell that AppendText put into it: each must lead a
// formula, where a reader's cell begins.
func unguarded(t require.TestingT, cell, text string) string {
	var out []byte
	for i := range len(cell) {
		if cell[i] == '\'' && (len(out) == len(text) || text[len(out)] != '\'') {
			begins := i == 0 || cell[i-1] == ';' || cell[i-1] == '\t'
			rest := cell[i+1:]
			if i > 0 {
				rest = behindQuotes(rest)
			}
			require.True(t, begins && beginsFormula(rest), "%q was written as %q", text, cell)
			continue
		}
		out = append(out, cell[i])
	}
	return string(out)
}

// guarded sees that no formula begins behind a separator of a cell.
func guarded(t require.TestingT, cell, separators string) {
	for _, separator := range separators {
		for _, part := range strings.Split(cell, string(separator))[1:] {
			require.False(t, beginsFormula(behindQuotes(part)), "%q", cell)
		}
	}
}

// anyText draws text of the bytes that matter to quoting and to the guard, among any others.
var anyText = rapid.Custom(func(t *rapid.T) string {
	part := rapid.OneOf(rapid.SampledFrom([]string{"=", ";", `"`, " ", ","}), rapid.SampledFrom([]string{
		"+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "\r\n", "\x00", "'", "；", "\u00a0", "\u3000",
		"\u2028", "\u200b", "\u00ad", "\u0085", "\ufeff", "\xef\xbc", "\xc2", "\xff", "\xe2\x80", "a",
	}), rapid.StringN(0, 3, -1))
	return strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
})

// specification, security (spreadsheets); RFC 4180: whatever a text holds, a reader gets it back
// with no formula at the start of a cell or behind a separator. Only apostrophes are added.
func TestCellsReadBackWithoutFormulas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := anyText.Draw(t, "text")
		cell := string(csvcell.AppendText(nil, []byte(text)))
		require.Equal(t, cell, string(csvcell.AppendText(nil, text)))
		read := readCell(t, cell)
		text = strings.ReplaceAll(text, "\r\n", "\n")
		require.Equal(t, text, unguarded(t, read, text), "%q", cell)
		require.False(t, beginsFormula(read), "%q", cell)
		guarded(t, read, ";\t")
		guarded(t, readCell(t, string(csvcell.AppendSpreadsheetText(nil, text))), ";\t,\r\n")
	})
}
