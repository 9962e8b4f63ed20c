package reports

import (
	"bytes"
	"strings"

	"dg/platform/csvcell"
)

// Format is how an export writes its rows.
type Format byte

// CSV is the API's format. The others are for Excel: with a byte-order mark, the separator and
// decimal sign of the reader's Excel, and times in its form.
const (
	CSV Format = iota
	ExcelComma
	ExcelSemicolon      // with a decimal comma
	ExcelSemicolonPoint // with a decimal point
)

const byteOrderMark = "\uFEFF"

func (f Format) separator() byte {
	if f == ExcelSemicolon || f == ExcelSemicolonPoint {
		return ';'
	}
	return ','
}

func (f Format) appendHeader(b []byte) []byte {
	if f == CSV {
		return append(b, csvHeader...)
	}
	return append(append(b, byteOrderMark...),
		strings.ReplaceAll(csvHeader, ",", string(rune(f.separator())))...)
}

// appendPlayer appends the cells playerKey and playerLabel. The key is the pseudonym under both
// reporting modes: it tells players of one name apart, and survives a change of mode.
func (f Format) appendPlayer(b []byte, key, label []byte) []byte {
	return f.appendText(append(f.appendText(b, key), f.separator()), label)
}

func (f Format) appendText(b []byte, text []byte) []byte {
	if f == CSV {
		return csvcell.AppendText(b, text)
	}
	return csvcell.AppendSpreadsheetText(b, text)
}

// appendInstant appends a time in UTC. Excel shows milliseconds as minutes, so it gets none.
func (f Format) appendInstant(b []byte, ms int64) []byte {
	from := len(b)
	b = AppendInstant(b, ms)
	if f == CSV {
		return b
	}
	b[from+len("2026-03-01")] = ' '
	return b[:from+len("2026-03-01 09:30:00")]
}

// appendScore appends hundredths of a percent.
func (f Format) appendScore(b []byte, score int64) []byte {
	from := len(b)
	b = appendDecimal(b, score, 2)
	if f == ExcelSemicolon {
		if point := bytes.IndexByte(b[from:], '.'); point >= 0 {
			b[from+point] = ','
		}
	}
	return b
}

// appendSkills appends the skills, for Excel in quotes, because they may contain its separator.
func (f Format) appendSkills(b []byte, answers []byte) []byte {
	if f == CSV {
		return appendSkills(b, answers)
	}
	return append(appendSkills(append(b, '"'), answers), '"')
}
