package reports

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		require.Equal(t, "x,"+want, string(csvText([]byte("x,"), []byte(text))), "%.60q", text)
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
		cell := string(csvText(nil, []byte(text)))
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

// Decisions, "CSV": skillId=correct/attempts in the order of section 2.4, joined by ";".
func TestSkillCells(t *testing.T) {
	t.Parallel()
	for want, answers := range map[string][]byte{
		"":                             nil,
		"prompting.context=1/1":        {1},
		"prompting.context=0/2":        {0, 0},
		"data.reading.proportions=1/1": {29<<1 | 1},
		"prompting.context=1/3;prompting.constraints=2/2;data.reading.proportions=0/1": {58, 3, 0, 1, 3, 0},
		"prompting.examples=1/1": {127 << 1, 5, 30<<1 | 1}, // what a newer program has stored is left out
	} {
		require.Equal(t, want, string(csvSkills(nil, answers)))
	}
}

// Decisions, "Formats": RFC 3339, UTC, always three decimals.
func TestInstantAndIdentifierCells(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{
		0: "1970-01-01T00:00:00.000Z", 946_684_799_999: "1999-12-31T23:59:59.999Z", 946_684_800_000: "2000-01-01T00:00:00.000Z",
		1_709_164_800_120: "2024-02-29T00:00:00.120Z", 7_258_118_399_999: "2199-12-31T23:59:59.999Z",
	} {
		require.Equal(t, want, string(AppendInstant(nil, ms)))
	}
	id := []byte{0, 1, 0x2f, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xfe, 0xff}
	require.Equal(t, "00012f03-0405-0607-0809-0a0b0c0dfeff", string(csvUUID(nil, id)))
}
