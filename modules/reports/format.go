package reports

import (
	"bytes"
	"strings"

	"dg/platform/csvcell"
)

// Format is how an export writes its rows.
type Format byte

// CSV is the API's format. ExcelSemicolon is for Excel where a comma is the decimal sign: with a
// byte-order mark, semicolons, decimal commas, and times in Excel's form.
const (
	CSV Format = iota
	ExcelSemicolon
)

const byteOrderMark = "\uFEFF"

func (f Format) separator() byte {
	if f == ExcelSemicolon {
		return ';'
	}
	return ','
}

func (f Format) appendHeader(b []byte) []byte {
	if f == CSV {
		return append(b, csvHeader...)
	}
	return append(append(b, byteOrderMark...),
		strings.ReplaceAll(csvHeader, ",", ";")...)
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
