package reports

import (
	"encoding/hex"
	"strconv"
	"strings"

	"dg/modules/games"
)

// csvHeader is the export's first row, the same in every mode (decisions, "CSV").
const csvHeader = "playId,forkId,releaseNumber,playerLabel,startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"

// csvText appends a text cell: quoted as RFC 4180 asks, and with a leading apostrophe where a spreadsheet would take the
// text for a formula or an invisible character leads it (decisions, "CSV").
func csvText(b, s []byte) []byte {
	quoted := false
	for _, c := range s {
		quoted = quoted || c == '"' || c == ',' || c == '\r' || c == '\n'
	}
	if quoted {
		b = append(b, '"')
	}
	if len(s) > 0 && strings.IndexByte("=+-@\t\r\n\x00", s[0]) >= 0 {
		b = append(b, '\'')
	}
	if !quoted {
		return append(b, s...)
	}
	for _, c := range s {
		if c == '"' {
			b = append(b, '"')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// csvSkills appends skillId=correct/attempts for each skill of a play's answers, in the order of the catalogue, joined
// by ";". No cell of it needs quotes.
func csvSkills(b []byte, answers []byte) []byte {
	var attempts, correct [games.SkillSpace]int64
	for _, raw := range answers {
		a := games.Answer(raw)
		attempts[a.Skill()]++
		if a.Correct() {
			correct[a.Skill()]++
		}
	}
	first := true
	for i, n := range attempts[:games.SkillCount] {
		if n == 0 {
			continue
		}
		if !first {
			b = append(b, ';')
		}
		first = false
		b = append(b, games.Skill(i).ID()...)
		b = append(b, '=')
		b = strconv.AppendInt(b, correct[i], 10)
		b = append(b, '/')
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}

// csvUUID appends the 16 bytes of an identifier in its text form.
func csvUUID(b []byte, id []byte) []byte {
	b = hex.AppendEncode(b, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:16]} {
		b = append(b, '-')
		b = hex.AppendEncode(b, part)
	}
	return b
}
