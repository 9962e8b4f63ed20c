package csvcell_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/csvcell"
)

// Decisions, "CSV": a text cell that starts with =, +, -, @, TAB, CR, LF or NUL gets a leading '; RFC 4180 quoting.
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
		" =1":                         " =1",
		"'=1":                         "'=1",
		"x=1":                         "x=1",
		"\u202eevil":                  "\u202eevil",
		"１２３":                         "１２３",
		strings.Repeat("a", 1<<16):    strings.Repeat("a", 1<<16),
		"=" + strings.Repeat(`"`, 99): `"'=` + strings.Repeat(`"`, 198) + `"`,
	} {
		require.Equal(t, "x,"+want, string(csvcell.AppendText([]byte("x,"), text)), "%.60q", text)
	}
}

// readCell reads a row of one cell between two others, as a client would. encoding/csv makes LF of CRLF within quotes.
func readCell(t *testing.T, cell string) string {
	t.Helper()
	reader := csv.NewReader(strings.NewReader("a," + cell + ",b\n"))
	rows, err := reader.ReadAll()
	require.NoError(t, err, "%q", cell)
	require.Len(t, rows, 1, "%q", cell)
	require.Len(t, rows[0], 3, "%q", cell)
	require.Equal(t, "a", rows[0][0])
	require.Equal(t, "b", rows[0][2])
	return rows[0][1]
}

func FuzzCSVCell(f *testing.F) {
	for _, text := range []string{"", "Ada", "=1", "\t", "\r", "\n", "\x00", `"`, `""`, ",", "a,b", "\r\n", "'=", "=\"\r\n\",", "\ufeff=1", "\xff", " "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := string(csvcell.AppendText(nil, []byte(text)))
		want := text
		if text != "" && strings.ContainsRune("=+-@\t\r\n\x00", rune(text[0])) {
			want = "'" + text
		}
		if got := readCell(t, cell); got != strings.ReplaceAll(want, "\r\n", "\n") {
			t.Fatalf("%q was written as %q and reads %q", text, cell, got)
		}
		seen := strings.TrimPrefix(cell, `"`)
		if seen != "" && strings.ContainsRune("=+-@\t\r\n\x00", rune(seen[0])) {
			t.Fatalf("%q was written as %q: a spreadsheet takes it for a formula", text, cell)
		}
	})
}
