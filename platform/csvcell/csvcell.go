// Package csvcell writes the text cells of the CSV files that people download and open in a spreadsheet.
package csvcell

// AppendText appends a text cell, quoted as in RFC 4180. An apostrophe goes before what a spreadsheet would read as a formula,
// and before an invisible character: at the start of the cell, and after a ";" or TAB in it, where some spreadsheets start a new
// cell. Such a spreadsheet may drop quotes after the separator, so they do not hide a sign from this rule.
func AppendText[T []byte | string](b []byte, text T) []byte { return appendText(b, text, false) }

// AppendSpreadsheetText is for files whose separator is the reader's. Whatever a spreadsheet takes for a separator is quoted, and a
// sign is guarded behind each: "," and the ends of lines too, where one that reads the file by another separator ends a cell.
func AppendSpreadsheetText[T []byte | string](b []byte, text T) []byte {
	return appendText(b, text, true)
}

func appendText[T []byte | string](b []byte, text T, spreadsheet bool) []byte {
	quoted, splits := false, false
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = true
		case ',', '\r', '\n':
			quoted, splits = true, splits || spreadsheet
		case ';', '\t':
			quoted, splits = quoted || spreadsheet, true
		}
	}
	if quoted {
		b = append(b, '"')
	}
	if beginsFormula(text, 0) {
		b = append(b, '\'')
	}
	if !quoted && !splits {
		return append(b, text...)
	}
	for i := range len(text) {
		c := text[i]
		if b = append(b, c); c == '"' {
			b = append(b, c)
		}
		if (c == ';' || c == '\t' || spreadsheet && (c == ',' || c == '\r' || c == '\n')) && beginsFormula(text, afterQuotes(text, i+1)) {
			b = append(b, '\'')
		}
	}
	if quoted {
		b = append(b, '"')
	}
	return b
}

// afterQuotes returns the index after the quotes at i.
func afterQuotes[T []byte | string](text T, i int) int {
	for i < len(text) && text[i] == '"' {
		i++
	}
	return i
}

// beginsFormula reports whether the text at i begins a formula to some spreadsheet, or with an invisible character.
func beginsFormula[T []byte | string](text T, i int) bool {
	if i >= len(text) {
		return false
	}
	switch text[i] {
	case '=', '+', '-', '@', '\t', '\r', '\n', 0:
		return true
	case 0xEF: // ＝＋－＠, in UTF-8
		if i+2 < len(text) && text[i+1] == 0xBC {
			last := text[i+2]
			return last == 0x9D || last == 0x8B || last == 0x8D || last == 0xA0
		}
	}
	return false
}
