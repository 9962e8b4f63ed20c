// Package format formats values for API responses and files: instants, and cells of CSV.
package format

import (
	"bytes"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Dialect is the CSV variant of a file. The zero value is CSV.
type Dialect byte

// CSV is the API's dialect. ExcelSemicolon is for Excel in locales with a decimal comma. It has a
// byte-order mark, semicolons as separators, decimal commas, and times in Excel's format.
const (
	CSV Dialect = iota
	ExcelSemicolon
)

// Dialects maps values of the query parameter format to dialects. A missing parameter means CSV.
var Dialects = map[string]Dialect{"": CSV, ExcelName: ExcelSemicolon}

// ExcelName is the value of the query parameter format for ExcelSemicolon.
const ExcelName = "excel-semicolon"

// Separator returns the byte between two cells.
func (d Dialect) Separator() byte {
	if d == CSV {
		return ','
	}
	return ';'
}

// AppendHeader appends a header row. For Excel it adds a byte-order mark and replaces commas.
func (d Dialect) AppendHeader(b []byte, columns string) []byte {
	if d == CSV {
		return append(b, columns...)
	}
	return append(append(b, "\uFEFF"...), strings.ReplaceAll(columns, ",", ";")...)
}

// AppendInstant appends an instant, in milliseconds since 1970. For Excel, milliseconds are
// omitted: with them, Excel would show minutes and seconds alone.
func (d Dialect) AppendInstant(b []byte, ms int64) []byte {
	start := len(b)
	b = AppendInstant(b, ms)
	if d == CSV {
		return b
	}
	b[start+len("2026-03-01")] = ' '
	return b[:start+len("2026-03-01 09:30:00")]
}

// AppendCell appends a text cell, quoted as in RFC 4180. An apostrophe before a formula, or before
// TAB, CR, LF or NUL, makes spreadsheets show it as text. AppendCell looks for these at the start
// of the text, and after ";" and TAB, where some spreadsheets begin a new cell. It skips blanks
// and, after a separator, quotes. For Excel it also looks after "," and line ends, and quotes cells
// with ";" or TAB.
func (d Dialect) AppendCell(b, text []byte) []byte {
	quotedChars := "\",\r\n"
	separators := ";\t"
	if d != CSV {
		quotedChars = "\",\r\n;\t"
		separators = ",\r\n;\t"
	}
	quoted := bytes.ContainsAny(text, quotedChars)
	if quoted {
		b = append(b, '"')
	}
	if beginsFormula(text, false) {
		b = append(b, '\'')
	}
	if !bytes.ContainsAny(text, "\",\r\n;\t") { // fast path for most cells
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
		isBlank := unicode.IsSpace(r) || !unicode.IsGraphic(r)
		if !isBlank && (r != '"' || !dropQuotes) {
			return false
		}
		text = text[size:]
	}
	return false
}

// Instant formats t in UTC, truncated to the millisecond: 2026-03-01T09:30:00.000Z.
func Instant(t time.Time) string { return string(AppendInstant(nil, t.UnixMilli())) }

// AppendInstant appends an instant, in milliseconds since 1970, as Instant does. It adds the
// milliseconds itself, because package time has a fast path for RFC3339 only.
func AppendInstant(b []byte, ms int64) []byte {
	t := time.UnixMilli(ms).UTC()
	b = t.AppendFormat(b, time.RFC3339)
	fraction := t.Nanosecond() / 1e6
	return append(b[:len(b)-len("Z")], '.', byte('0'+fraction/100), byte('0'+fraction/10%10),
		byte('0'+fraction%10), 'Z')
}
