package reports

import (
	"encoding/hex"
	"strconv"

	"dg/modules/games"
)

// csvHeader is the export's first row, the same in every mode.
const csvHeader = "playId,forkId,releaseNumber,playerKey,playerLabel," +
	"startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"

// appendSkills appends skillId=correct/attempts for each skill of a play's answers, in the order of
// the catalogue, joined by ";".
func appendSkills(b []byte, answers []byte) []byte {
	var attempts, correct [games.SkillSpace]uint16
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
		b = strconv.AppendUint(b, uint64(correct[i]), 10)
		b = append(b, '/')
		b = strconv.AppendUint(b, uint64(n), 10)
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
