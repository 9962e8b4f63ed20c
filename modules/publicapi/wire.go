package publicapi

import (
	"encoding/json"
	"strconv"
	"time"

	"dg/modules/reports"
)

// statisticsJSON appends by hand: json.Marshal of 100,000 players would take ten times as long.
func statisticsJSON(s reports.Statistics) []byte {
	const bytesOfPlayer = 130
	b := appendFigures(make([]byte, 0, 4096+bytesOfPlayer*int(s.UniquePlayers)), s)
	if !s.Suppressed {
		for i := range int(s.UniquePlayers) {
			b = appendPlayer(appendComma(b, i), s.Player(i))
		}
	}
	return appendSkills(b, s.Skills)
}

func appendFigures(b []byte, s reports.Statistics) []byte {
	b = strconv.AppendInt(append(b, `{"plays":`...), s.Plays, 10)
	b = strconv.AppendInt(append(b, `,"uniquePlayers":`...), s.UniquePlayers, 10)
	b = s.AvgScore.Append(append(b, `,"avgScorePercent":`...))
	b = s.CompletionRate.Append(append(b, `,"completionRate":`...))
	b = s.PassRate.Append(append(b, `,"passRate":`...))
	b = appendString(append(b, `,"reportingMode":`...), string(s.ReportingMode))
	b = strconv.AppendBool(append(b, `,"suppressed":`...), s.Suppressed)
	b = append(b, `,"daily":[`...)
	for i, d := range s.Daily {
		b = appendString(append(appendComma(b, i), `{"date":`...), d.Date)
		b = strconv.AppendInt(append(b, `,"plays":`...), d.Plays, 10)
		b = append(d.AvgScore.Append(append(b, `,"avgScorePercent":`...)), '}')
	}
	return append(b, `],"players":[`...)
}

func appendPlayer(b []byte, p reports.PlayerStat) []byte {
	b = appendString(append(b, `{"playerLabel":`...), p.Label)
	b = strconv.AppendInt(append(b, `,"plays":`...), p.Plays, 10)
	b = p.BestScore.Append(append(b, `,"bestScorePercent":`...))
	b = appendInstant(append(b, `,"lastPlayedAt":`...), p.LastPlayedAt)
	b = strconv.AppendBool(append(b, `,"passed":`...), p.Passed)
	return append(b, '}')
}

func appendSkills(b []byte, skills []reports.SkillStat) []byte {
	b = append(b, `],"skills":[`...)
	for i, k := range skills {
		b = appendString(append(appendComma(b, i), `{"skillId":`...), k.SkillID)
		b = strconv.AppendInt(append(b, `,"attempts":`...), k.Attempts, 10)
		b = append(k.CorrectRate.Append(append(b, `,"correctRate":`...)), '}')
	}
	return append(b, "]}"...)
}

func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func appendInstant(b []byte, t time.Time) []byte {
	return append(reports.AppendInstant(append(b, '"'), t.UnixMilli()), '"')
}

// appendString leaves strings that need escapes or are not ASCII to encoding/json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic(err) // strings always encode
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
