package main

import (
	"strconv"
	"time"

	"dg/modules/games"
)

// sums are those behind a fork's figures. They share no code with the program.
type sums struct {
	from    time.Time
	days    []daySum
	passed  int64
	players []playerSum // in the order in which they are shown
	skills  [games.SkillSpace]skillSum
}

type daySum struct{ plays, completed, score int64 }

type skillSum struct{ attempts, correct int64 }

type playerSum struct {
	label  string
	plays  int64
	best   int16 // hundredths of a percent
	passed bool
	last   int64 // milliseconds since 1970
}

const dayMillis = 24 * 60 * 60 * 1000

// addAnswers counts n answers that are stored as one byte: the skill, and whether they are correct.
func (s *sums) addAnswers(stored byte, n int64) {
	sum := &s.skills[games.Answer(stored).Skill()]
	sum.attempts += n
	if games.Answer(stored).Correct() {
		sum.correct += n
	}
}

// appendJSON writes what the API must answer, to the byte.
func (s *sums) appendJSON(b []byte) []byte {
	var all daySum
	for _, d := range s.days {
		all.plays += d.plays
		all.completed += d.completed
		all.score += d.score
	}
	b = strconv.AppendInt(append(b, `{"plays":`...), all.plays, 10)
	b = strconv.AppendInt(append(b, `,"uniquePlayers":`...), int64(len(s.players)), 10)
	b = appendQuotient(append(b, `,"avgScorePercent":`...), all.score, 100*all.completed, 1)
	b = appendQuotient(append(b, `,"completionRate":`...), all.completed, all.plays, 4)
	b = appendQuotient(append(b, `,"passRate":`...), s.passed, all.completed, 4)
	b = append(b, `,"reportingMode":"pseudonymous","suppressed":false,"daily":[`...)
	for i, d := range s.days {
		b = s.from.AddDate(0, 0, i).AppendFormat(append(comma(b, i), `{"date":"`...), time.DateOnly)
		b = strconv.AppendInt(append(b, `","plays":`...), d.plays, 10)
		b = append(appendQuotient(append(b, `,"avgScorePercent":`...), d.score, 100*d.completed, 1),
			'}')
	}
	b = append(b, `],"players":[`...)
	for i := range s.players {
		p := &s.players[i]
		b = append(append(comma(b, i), `{"playerLabel":"`...), p.label...)
		b = strconv.AppendInt(append(b, `","plays":`...), p.plays, 10)
		b = appendQuotient(append(b, `,"bestScorePercent":`...), int64(p.best), 100, 1)
		b = time.UnixMilli(p.last).UTC().
			AppendFormat(append(b, `,"lastPlayedAt":"`...), "2006-01-02T15:04:05.000Z")
		b = append(strconv.AppendBool(append(b, `","passed":`...), p.passed), '}')
	}
	b = append(b, `],"skills":[`...)
	shown := 0
	for i, skill := range s.skills[:games.SkillCount] {
		if skill.attempts > 0 {
			b = append(append(comma(b, shown), `{"skillId":"`...), games.Skill(i).ID()...)
			b = strconv.AppendInt(append(b, `","attempts":`...), skill.attempts, 10)
			b = append(
				appendQuotient(append(b, `,"correctRate":`...), skill.correct, skill.attempts, 4),
				'}',
			)
			shown++
		}
	}
	return append(b, "]}"...)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendQuotient appends n / d rounded half up to so many places, without trailing zeros; 0 where d
// is 0.
func appendQuotient(b []byte, n, d int64, places int) []byte {
	if d == 0 {
		return append(b, '0')
	}
	scale := int64(1)
	for range places {
		scale *= 10
	}
	q := (2*n*scale + d) / (2 * d)
	b = strconv.AppendInt(b, q/scale, 10)
	if q %= scale; q == 0 {
		return b
	}
	for b = append(b, '.'); q > 0; q %= scale {
		scale /= 10
		b = append(b, byte('0'+q/scale))
	}
	return b
}
