package reports

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"dg/modules/games"
)

// csvHeader is the export's first row, the same in every mode (decisions, "CSV").
const csvHeader = "playId,forkId,releaseNumber,playerLabel,startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"

// csvText appends a text cell: quoted as RFC 4180 asks, and with a leading apostrophe where a spreadsheet would take the
// text for a formula or an invisible character leads it (decisions, "CSV").
func csvText(b []byte, s string) []byte {
	if s != "" && strings.IndexByte("=+-@\t\r\n\x00", s[0]) >= 0 {
		s = "'" + s
	}
	if !strings.ContainsAny(s, "\",\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
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

// csvInstant appends milliseconds since 1970 as a timestamp of the contract: 2026-03-01T09:30:00.000Z.
func csvInstant(b []byte, ms int64) []byte {
	return time.UnixMilli(ms).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
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
