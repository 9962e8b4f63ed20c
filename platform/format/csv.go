package format

import "strings"

// Dialect is a dialect of CSV, by default CSV.
type Dialect byte

// CSV is the API's dialect. ExcelSemicolon is for Excel in locales with a decimal comma. It has a
// byte-order mark, semicolons as separators, decimal commas, and times in Excel's format.
const (
	CSV Dialect = iota
	ExcelSemicolon
)

// Dialects are the values of the query parameter format. Without it a file is CSV.
var Dialects = map[string]Dialect{"": CSV, ExcelName: ExcelSemicolon}

// ExcelName is the value for ExcelSemicolon.
const ExcelName = "excel-semicolon"

// Separator returns the byte between two cells.
func (d Dialect) Separator() byte {
	if d == CSV {
		return ','
	}
	return ';'
}

// AppendHeader appends the first row. Its columns are separated by commas.
func (d Dialect) AppendHeader(b []byte, columns string) []byte {
	if d == CSV {
		return append(b, columns...)
	}
	return append(append(b, "\uFEFF"...), strings.ReplaceAll(columns, ",", ";")...)
}

// AppendInstant appends an instant, in milliseconds since 1970. For Excel, milliseconds are omitted:
// with them, Excel would show minutes and seconds alone.
func (d Dialect) AppendInstant(b []byte, ms int64) []byte {
	from := len(b)
	b = AppendInstant(b, ms)
	if d == CSV {
		return b
	}
	b[from+len("2026-03-01")] = ' '
	return b[:from+len("2026-03-01 09:30:00")]
}
