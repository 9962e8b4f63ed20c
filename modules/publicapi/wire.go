package publicapi

import (
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"dg/modules/reports"
	"dg/platform/format"
)

const (
	bytesOfDay      = 64 // capacity for a row of daily; most rows are shorter
	bytesOfPlayer   = 144
	minParallelRows = 4000 // rows of players for each additional goroutine
)

// statisticsJSON encodes without json.Marshal, which takes ten times as long.
func statisticsJSON(s reports.Statistics) []byte {
	size := 4096 + bytesOfDay*len(s.Daily) + bytesOfPlayer*int(s.UniquePlayers)
	b := appendFigures(make([]byte, 0, size), s)
	if !s.Suppressed {
		b = appendPlayers(b, s)
	}
	return appendSkills(b, s.Skills)
}

// appendPlayers encodes many rows concurrently. Each goroutine writes to its own part of b's spare
// capacity.
func appendPlayers(b []byte, s reports.Statistics) []byte {
	n := int(s.UniquePlayers)
	b = slices.Grow(b, bytesOfPlayer*n)
	chunks := make([][]byte, 1+min(runtime.GOMAXPROCS(0)-1, n/minParallelRows))
	firstRow := func(chunk int) int { return n * chunk / len(chunks) }
	shareStart := func(k int) int { return len(b) + bytesOfPlayer*firstRow(k) }
	panics := make([]any, len(chunks)) // panics of the goroutines, rethrown below
	var tasks sync.WaitGroup
	for k := range chunks {
		tasks.Go(func() {
			defer func() { panics[k] = recover() }()
			chunk := b[shareStart(k):shareStart(k):shareStart(k+1)]
			for i := firstRow(k); i < firstRow(k+1); i++ {
				chunk = appendPlayer(appendComma(chunk, i), s.Player(i))
			}
			chunks[k] = chunk
		})
	}
	tasks.Wait()
	if i := slices.IndexFunc(panics, func(p any) bool { return p != nil }); i >= 0 {
		panic(panics[i])
	}
	for k, chunk := range chunks {
		if len(chunk) > shareStart(k+1)-shareStart(k) { // append has moved the chunk out of b
			return slices.Concat(b, slices.Concat(chunks...))
		}
	}
	for _, chunk := range chunks {
		b = append(b, chunk...)
	}
	return b
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
	b = format.AppendInstant(append(b, `,"lastPlayedAt":"`...), p.LastPlayedAt.UnixMilli())
	b = strconv.AppendBool(append(b, `","passed":`...), p.Passed)
	return append(b, '}')
}

func appendSkills(b []byte, skills []reports.SkillStat) []byte {
	b = append(b, `],"skills":[`...)
	for i, skill := range skills {
		b = appendString(append(appendComma(b, i), `{"skillId":`...), skill.SkillID)
		b = strconv.AppendInt(append(b, `,"attempts":`...), skill.Attempts, 10)
		b = append(skill.CorrectRate.Append(append(b, `,"correctRate":`...)), '}')
	}
	return append(b, "]}"...)
}

func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// appendString passes strings that need escapes or are not ASCII to encoding/json.
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
