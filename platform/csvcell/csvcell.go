// Package csvcell writes text cells of CSV files for programs and spreadsheets.
package csvcell

import (
	"unicode"
	"unicode/utf8"
)

// AppendText appends a text cell, quoted as in RFC 4180. An apostrophe goes before a formula, and
// before a leading TAB, CR, LF or NUL, so that spreadsheets show text. It goes to the start of the
// cell, and after ";" or TAB, where some spreadsheets begin a new cell. Blanks before the sign, and
// quotes after a separator, do not hide a formula.
func AppendText(b, text []byte) []byte { return appendText(b, text, false) }

// AppendSpreadsheetText is like AppendText, for files whose separator is not the comma. It also
// quotes cells with ";" or TAB, and guards formulas after "," and line ends.
func AppendSpreadsheetText(b, text []byte) []byte {
	return appendText(b, text, true)
}

func appendText(b, text []byte, spreadsheet bool) []byte {
	quoted := false
	splits := false
	for _, c := range text {
		switch c {
		case '"':
			quoted = true
		case ',', '\r', '\n':
			quoted = true
			splits = splits || spreadsheet
		case ';', '\t':
			quoted = quoted || spreadsheet
			splits = true
		}
	}
	if quoted {
		b = append(b, '"')
	}
	if beginsFormula(text, false) {
		b = append(b, '\'')
	}
	if !quoted && !splits {
		return append(b, text...)
	}
	for i, c := range text {
		if b = append(b, c); c == '"' {
			b = append(b, c)
		}
		separates := c == ';' || c == '\t' || spreadsheet && (c == ',' || c == '\r' || c == '\n')
		if separates && beginsFormula(text[i+1:], true) {
			b = append(b, '\'')
		}
	}
	if quoted {
		b = append(b, '"')
	}
	return b
}

// beginsFormula reports whether text begins with a formula or control character, after blanks and,
// with dropQuotes, quotes. It stops at the next separator, so that a whole text takes linear time.
func beginsFormula(text []byte, dropQuotes bool) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch r {
		case '=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', 0:
			return true
		}
		if !isBlank(r) && (r != '"' || !dropQuotes) {
			return false
		}
		text = text[size:]
	}
	return false
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }
