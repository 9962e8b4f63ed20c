// Package csvcell writes the text cells of the CSV files that people download and open in a spreadsheet.
package csvcell

import "strings"

// AppendText appends a text cell: quoted as RFC 4180 asks, and with a leading apostrophe where a spreadsheet would take the
// text for a formula or an invisible character leads it (decisions, "CSV").
func AppendText[T []byte | string](b []byte, text T) []byte {
	quoted := false
	for i := range len(text) {
		c := text[i]
		quoted = quoted || c == '"' || c == ',' || c == '\r' || c == '\n'
	}
	if quoted {
		b = append(b, '"')
	}
	if len(text) > 0 && strings.IndexByte("=+-@\t\r\n\x00", text[0]) >= 0 {
		b = append(b, '\'')
	}
	if !quoted {
		return append(b, text...)
	}
	for i := range len(text) {
		if text[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}
