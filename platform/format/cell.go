package format

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendCell appends a text cell, quoted as in RFC 4180. It puts an apostrophe before
// a formula, and before a leading TAB, CR, LF or NUL, so that spreadsheets show text. Some
// spreadsheets begin a new cell after ";" or TAB: AppendCell checks the text after these, too. It
// also finds formulas after blanks and, after a separator, quotes. Files for Excel are opened by
// spreadsheets alone: ";" and TAB are also quoted there, and text after "," and line ends is checked.
func (d Dialect) AppendCell(b, text []byte) []byte {
	quotes := "\",\r\n"
	separators := ";\t"
	if d != CSV {
		quotes = "\",\r\n;\t"
		separators = ",\r\n;\t"
	}
	quoted := bytes.ContainsAny(text, quotes)
	if quoted {
		b = append(b, '"')
	}
	if beginsFormula(text, false) {
		b = append(b, '\'')
	}
	if !bytes.ContainsAny(text, "\",\r\n;\t") { // most cells
		return append(b, text...)
	}
	for i, c := range text {
		if b = append(b, c); c == '"' {
			b = append(b, c)
		}
		if strings.IndexByte(separators, c) >= 0 && beginsFormula(text[i+1:], true) {
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
