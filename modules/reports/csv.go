package reports

import (
	"bytes"
	"encoding/hex"
	"math/bits"
	"strconv"
	"strings"

	"dg/modules/games"
	"dg/platform/format"
)

// csvHeader is the export's first row, the same under both reporting modes.
const csvHeader = "playId,forkId,releaseNumber,playerKey,playerLabel," +
	"startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"

// Format is the CSV dialect of an export, by default CSV.
type Format byte

// CSV is the API's dialect. ExcelSemicolon is for Excel in locales with a decimal comma. It has a
// byte-order mark, semicolons as separators, decimal commas, and times in Excel's format.
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

// The key is the pseudonym under both reporting modes, because players may share a name.
func (f Format) appendPlayer(b []byte, key, label []byte) []byte {
	separator := f.separator()
	b = append(format.AppendCell(b, key, separator), separator)
	return format.AppendCell(b, label, separator)
}

// For Excel, milliseconds are omitted: with them, Excel would show minutes and seconds alone.
func (f Format) appendInstant(b []byte, ms int64) []byte {
	from := len(b)
	b = AppendInstant(b, ms)
	if f == CSV {
		return b
	}
	b[from+len("2026-03-01")] = ' '
	return b[:from+len("2026-03-01 09:30:00")]
}

// appendScore appends a score in hundredths of a percent: 6250 becomes 62.5, for Excel 62,5.
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

// The cell is quoted for Excel: semicolons join the skills and also separate Excel's columns.
func (f Format) appendSkills(b []byte, answers []byte) []byte {
	if f == CSV {
		return appendSkillCounts(b, answers)
	}
	return append(appendSkillCounts(append(b, '"'), answers), '"')
}

func (e *Export) appendRow(b []byte) []byte {
	r := &e.row
	f := e.format
	separator := f.separator()
	b = append(appendID(b, r.id), separator)
	b = append(append(b, e.snap.query.ForkID...), separator)
	if r.released {
		b = strconv.AppendInt(b, int64(r.release), 10)
	}
	b = append(e.appendPlayer(append(b, separator)), separator)
	b = append(f.appendInstant(b, r.StartedAt), separator)
	if r.Completed {
		b = append(f.appendInstant(b, r.completedAt), separator)
		b = append(strconv.AppendInt(b, (r.completedAt-r.StartedAt)/1000, 10), separator)
		b = append(append(b, "true"...), separator)
		b = append(f.appendScore(b, int64(r.Score)), separator)
		b = append(strconv.AppendBool(b, r.Passed), separator)
	} else {
		b = append(append(b, separator, separator), "false"...)
		b = append(b, separator, separator, separator)
	}
	return append(f.appendSkills(b, r.Answers), '\n')
}

func (e *Export) appendPlayer(b []byte) []byte {
	if e.players == nil {
		return e.format.appendPlayer(b, e.row.key, e.row.label)
	}
	return append(b, e.players.of(e.row.Player)...)
}

// appendID appends the text of a UUID, which PostgreSQL would make in five times the time.
func appendID(b, id []byte) []byte {
	b = hex.AppendEncode(b, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		b = hex.AppendEncode(append(b, '-'), part)
	}
	return b
}

// appendSkillCounts appends skillId=correct/attempts for each skill, joined by semicolons.
func appendSkillCounts(b []byte, answers []byte) []byte {
	var attempts, correct [games.SkillSpace]uint16
	var seen uint64 // a bit for each skill
	for _, raw := range answers {
		a := games.Answer(raw)
		seen |= 1 << a.Skill()
		attempts[a.Skill()]++
		if a.Correct() {
			correct[a.Skill()]++
		}
	}
	separator := ""
	for seen &= 1<<games.SkillCount - 1; seen != 0; seen &= seen - 1 {
		i := bits.TrailingZeros64(seen)
		b = append(append(b, separator...), games.Skill(i).ID()...)
		b = strconv.AppendUint(append(b, '='), uint64(correct[i]), 10)
		b = strconv.AppendUint(append(b, '/'), uint64(attempts[i]), 10)
		separator = ";"
	}
	return b
}
