package reports

import (
	"dg/modules/games"
)

// play is one play as the tally takes it.
type play struct {
	startedAt int64 // milliseconds since 1970, within the period
	player    int32 // players.ordinal
	completed bool
	score     int16 // hundredths of a percent; of a completed play
	passed    bool
	answers   []byte // a games.Answer each; not kept
}

// tally sums the plays of a period, exactly. It can be fed in any order and from any source: plays, or days and players
// that were summed before. What it holds of a player is 16 bytes.
type tally struct {
	period  Period
	from    int64 // milliseconds since 1970
	total   sums
	days    []tallyDay
	players playerSums
}

type tallyDay struct {
	daySum
	playersKnown bool // whether the day's players were added with their month
}

type daySum struct{ plays, completed, score int64 }

type skillSum struct{ attempts, correct int64 }

func newTally(p Period) *tally {
	return &tally{period: p, from: p.From.UnixMilli(), days: make([]tallyDay, p.Days)}
}

// add counts one play.
func (t *tally) add(p play) {
	d := &t.days[(p.startedAt-t.from)/day.Milliseconds()]
	d.plays++
	if p.completed {
		d.completed++
		d.score += int64(p.score)
	}
	t.total.add(p)
	if !d.playersKnown {
		t.addPlayer(p)
	}
}

// addPlayer counts one play for its player alone.
func (t *tally) addPlayer(p play) {
	t.players.of(p.player).add(playerSum{plays: 1, best: p.score, passed: p.passed, last: p.startedAt})
}

// addDay counts the plays of the period's i-th day, from 0, but for their players.
func (t *tally) addDay(i int, s *sums) {
	t.days[i].daySum = s.daySum
	t.total.plays += s.plays
	t.total.completed += s.completed
	t.total.score += s.score
	t.total.passed += s.passed
	for k := range s.skills[:games.SkillCount] {
		t.total.skills[k].attempts += s.skills[k].attempts
		t.total.skills[k].correct += s.skills[k].correct
	}
}

// statistics rounds the sums. label names a player by ordinal.
func (t *tally) statistics(label func(int32) string) Statistics {
	total := &t.total
	s := Statistics{Daily: make([]DailyStat, len(t.days))}
	for i, d := range t.days {
		s.Daily[i] = DailyStat{Date: t.period.Day(i), Plays: d.plays, AvgScore: meanScore(d.score, d.completed)}
	}
	s.Plays = total.plays
	s.AvgScore = meanScore(total.score, total.completed)
	s.CompletionRate = rate(total.completed, total.plays)
	s.PassRate = rate(total.passed, total.completed)
	s.Players = t.players.ranked(label)
	s.UniquePlayers = int64(len(s.Players))
	for i, k := range total.skills[:games.SkillCount] {
		if k.attempts > 0 {
			s.Skills = append(s.Skills, SkillStat{SkillID: games.Skill(i).ID(), Attempts: k.attempts, CorrectRate: rate(k.correct, k.attempts)})
		}
	}
	return s
}
