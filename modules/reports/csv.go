package reports

import (
	"bytes"
	"encoding/hex"
	"math/bits"
	"strconv"

	"dg/modules/games"
	"dg/platform/format"
)

// csvHeader is the first row of an export, the same in both reporting modes.
const csvHeader = "playId,forkId,releaseNumber,playerKey,playerLabel," +
	"startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"

// appendPlayer appends the cells of key and label. The key is the pseudonym in both reporting
// modes, because players may share a name.
func appendPlayer(b []byte, d format.Dialect, key, label []byte) []byte {
	return d.AppendCell(append(d.AppendCell(b, key), d.Separator()), label)
}

// appendScore appends a score in hundredths of a percent: 6250 becomes 62.5, for Excel 62,5.
func appendScore(b []byte, d format.Dialect, score int64) []byte {
	start := len(b)
	b = appendDecimal(b, score, 2)
	if d == format.ExcelSemicolon {
		if point := bytes.IndexByte(b[start:], '.'); point >= 0 {
			b[start+point] = ','
		}
	}
	return b
}

// appendSkills appends the cell of the skills. For Excel it is quoted, because semicolons separate
// the columns as well as the skills.
func appendSkills(b []byte, d format.Dialect, answers []byte) []byte {
	if d == format.CSV {
		return appendSkillCounts(b, answers)
	}
	return append(appendSkillCounts(append(b, '"'), answers), '"')
}

func (e *Export) appendRow(b []byte, r *exportRow) []byte {
	d := e.dialect
	separator := d.Separator()
	b = append(appendID(b, r.id[:]), separator)
	b = append(append(b, e.query.ForkID...), separator)
	if r.hasReleaseNumber {
		b = strconv.AppendInt(b, int64(r.releaseNumber), 10)
	}
	b = append(append(append(b, separator), r.playerCells...), separator)
	b = append(d.AppendInstant(b, r.StartedAt), separator)
	if r.Completed {
		b = append(d.AppendInstant(b, r.completedAt), separator)
		b = append(strconv.AppendInt(b, (r.completedAt-r.StartedAt)/1000, 10), separator)
		b = append(append(b, "true"...), separator)
		b = append(appendScore(b, d, int64(r.Score)), separator)
		b = append(strconv.AppendBool(b, r.Passed), separator)
	} else {
		b = append(append(b, separator, separator), "false"...)
		b = append(b, separator, separator, separator)
	}
	return append(appendSkills(b, d, r.Answers), '\n')
}

// appendID appends the text of a UUID, because a cast to text in PostgreSQL is slower.
func appendID(b, id []byte) []byte {
	b = hex.AppendEncode(b, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		b = hex.AppendEncode(append(b, '-'), part)
	}
	return b
}

// appendSkillCounts appends skillId=correct/attempts for each answered skill of the catalogue,
// separated by semicolons.
func appendSkillCounts(b []byte, answers []byte) []byte {
	var attempts, correct [games.SkillSpace]uint16
	var answered uint64 // a bit for each skill with an answer
	for _, raw := range answers {
		a := games.Answer(raw)
		answered |= 1 << a.Skill()
		attempts[a.Skill()]++
		if a.Correct() {
			correct[a.Skill()]++
		}
	}
	separator := ""
	for answered &= 1<<games.SkillCount - 1; answered != 0; answered &= answered - 1 {
		i := bits.TrailingZeros64(answered)
		b = append(append(b, separator...), games.Skill(i).ID()...)
		b = strconv.AppendUint(append(b, '='), uint64(correct[i]), 10)
		b = strconv.AppendUint(append(b, '/'), uint64(attempts[i]), 10)
		separator = ";"
	}
	return b
}
