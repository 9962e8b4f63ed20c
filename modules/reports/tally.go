package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"

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

// tally sums the plays of a period, exactly. It can be fed in any order and from any source; what it holds of a player
// is 16 bytes.
type tally struct {
	period  Period
	from    int64 // milliseconds since 1970
	days    []daySum
	players playerSums
	skills  [games.SkillSpace]skillSum
	passed  int64
}

type daySum struct{ plays, completed, score int64 }

type skillSum struct{ attempts, correct int64 }

type playerSum struct {
	plays  int32
	best   int16
	passed bool
	last   int64 // milliseconds since 1970
}

func newTally(p Period) *tally {
	return &tally{period: p, from: p.From.UnixMilli(), days: make([]daySum, p.Days)}
}

// add counts one play.
func (t *tally) add(p play) {
	d := &t.days[(p.startedAt-t.from)/day.Milliseconds()]
	d.plays++
	who := t.players.of(p.player)
	who.plays++
	who.last = max(who.last, p.startedAt)
	if p.completed {
		d.completed++
		d.score += int64(p.score)
		who.best = max(who.best, p.score)
	}
	if p.passed {
		t.passed++
		who.passed = true
	}
	for _, b := range p.answers {
		a := games.Answer(b)
		s := &t.skills[a.Skill()]
		s.attempts++
		if a.Correct() {
			s.correct++
		}
	}
}

// playerSums holds a sum for each ordinal, in pages that are made when they are first used: ordinals are small and
// dense, so finding one is two steps and no hashing.
type playerSums struct{ pages []*[playersPerPage]playerSum }

const playersPerPage = 1024

func (s *playerSums) of(ordinal int32) *playerSum {
	n := int(ordinal / playersPerPage)
	if n >= len(s.pages) {
		s.pages = append(s.pages, make([]*[playersPerPage]playerSum, n+1-len(s.pages))...)
	}
	if s.pages[n] == nil {
		s.pages[n] = new([playersPerPage]playerSum)
	}
	return &s.pages[n][ordinal%playersPerPage]
}

// each calls f for every player with a play, by ordinal.
func (s *playerSums) each(f func(ordinal int32, sum playerSum)) {
	for n, page := range s.pages {
		if page == nil {
			continue
		}
		for i, sum := range page {
			if sum.plays > 0 {
				f(int32(n*playersPerPage+i), sum)
			}
		}
	}
}

// ordinals returns the players with a play.
func (s *playerSums) ordinals() []int32 {
	var out []int32
	s.each(func(ordinal int32, _ playerSum) { out = append(out, ordinal) })
	return out
}

// statistics rounds the sums. label names a player by ordinal.
func (t *tally) statistics(label func(int32) string) Statistics {
	var total daySum
	s := Statistics{Daily: make([]DailyStat, len(t.days))}
	for i, d := range t.days {
		total.plays += d.plays
		total.completed += d.completed
		total.score += d.score
		s.Daily[i] = DailyStat{Date: t.period.Day(i), Plays: d.plays, AvgScore: meanScore(d.score, d.completed)}
	}
	s.Plays = total.plays
	s.AvgScore = meanScore(total.score, total.completed)
	s.CompletionRate = rate(total.completed, total.plays)
	s.PassRate = rate(t.passed, total.completed)
	t.players.each(func(ordinal int32, p playerSum) {
		s.Players = append(s.Players, PlayerStat{
			Label: label(ordinal), Plays: int64(p.plays), BestScore: shownScore(p.best),
			LastPlayedAt: time.UnixMilli(p.last).UTC(), Passed: p.passed,
		})
	})
	slices.SortFunc(s.Players, byWhatTheReaderSees)
	s.UniquePlayers = int64(len(s.Players))
	for i, k := range t.skills[:games.SkillCount] {
		if k.attempts > 0 {
			s.Skills = append(s.Skills, SkillStat{SkillID: games.Skill(i).ID(), Attempts: k.attempts, CorrectRate: rate(k.correct, k.attempts)})
		}
	}
	return s
}

// byWhatTheReaderSees orders players by plays, shown best score, label and last play (decisions, "Figures"), and then by
// passed, the one thing left to see: the order tells nothing that the rows do not.
func byWhatTheReaderSees(a, b PlayerStat) int {
	return cmp.Or(
		cmp.Compare(b.Plays, a.Plays),
		cmp.Compare(b.BestScore, a.BestScore),
		strings.Compare(a.Label, b.Label),
		b.LastPlayedAt.Compare(a.LastPlayedAt),
		cmp.Compare(bit(b.Passed), bit(a.Passed)),
	)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
