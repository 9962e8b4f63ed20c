package segment

import (
	"encoding/binary"
	"time"

	"dg/modules/games"
)

// Sums add up plays without distinguishing players.
type Sums struct {
	DaySums
	Skills [games.SkillSpace]SkillSums
}

// DaySums are the sums that a report shows for a day. ScoreSum adds up the scores of completed
// plays, in hundredths of a percent.
type DaySums struct{ Plays, Completed, ScoreSum, Passed int64 }

// SkillSums count all answers and the correct answers to one skill.
type SkillSums struct{ Attempts, Correct int64 }

func (s *DaySums) add(p *Play) {
	s.Plays++
	if p.Completed {
		s.Completed++
		s.ScoreSum += int64(p.Score)
	}
	if p.Passed {
		s.Passed++
	}
}

func (s *Sums) add(p *Play) {
	s.DaySums.add(p)
	s.addAnswers(p.Answers)
}

func (s *Sums) addAnswers(answers []byte) {
	for _, b := range answers {
		a := games.Answer(b)
		skill := &s.Skills[a.Skill()]
		skill.Attempts++
		if a.Correct() {
			skill.Correct++
		}
	}
}

// Add adds the sums of other plays to s, except those of skills beyond the catalogue.
func (s *Sums) Add(o *Sums) {
	s.Plays += o.Plays
	s.Completed += o.Completed
	s.ScoreSum += o.ScoreSum
	s.Passed += o.Passed
	for i := range s.Skills[:games.SkillCount] {
		s.Skills[i].Attempts += o.Skills[i].Attempts
		s.Skills[i].Correct += o.Skills[i].Correct
	}
}

// Pack packs the sums of the day that begins at start, in milliseconds since 1970.
func (s *Sums) Pack(start int64) []byte {
	b := newBuffer(DayVersion)
	for _, n := range []int64{s.Plays, s.Completed, s.ScoreSum, s.Passed} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = s.appendSkills(b)
	putChecksum(b, 1, start)
	return b
}

// largeSkill begins a skill whose numbers do not fit into one byte.
const largeSkill = 0xf0

// appendSkills is compact for the few answers of one player. A byte holds the number of skills
// without answers before the skill (4 bits, up to 14), its attempts less 1 (2 bits) and its correct
// answers (2 bits). If one is larger, all three follow largeSkill as uvarints.
func (s *Sums) appendSkills(b []byte) []byte {
	skipped := 0
	for _, skill := range s.Skills {
		if skill.Attempts == 0 {
			skipped++
			continue
		}
		if skipped <= 14 && skill.Attempts <= 4 && skill.Correct <= 3 {
			b = append(b, byte(skipped<<4)|byte(skill.Attempts-1)<<2|byte(skill.Correct))
		} else {
			b = binary.AppendUvarint(append(b, largeSkill), uint64(skipped))
			b = binary.AppendUvarint(b, uint64(skill.Attempts-1))
			b = binary.AppendUvarint(b, uint64(skill.Correct))
		}
		skipped = 0
	}
	return b
}

// UnpackSums returns the sums that Pack has packed. Errors: ErrDamaged.
func UnpackSums(start int64, b []byte) (s Sums, err error) {
	r := reader{b: b}
	s.Plays = int64(r.readHeader(DayVersion, start))
	s.Completed = int64(r.readUvarint())
	s.ScoreSum = int64(r.readUvarint())
	s.Passed = int64(r.readUvarint())
	if r.readSkills(&s); r.damaged {
		return s, ErrDamaged
	}
	return s, nil
}

// readSkills adds the sums that appendSkills packed, up to the end of the bytes.
func (r *reader) readSkills(sums *Sums) {
	for i := uint64(0); len(r.b) > 0 && !r.damaged; i++ {
		small := uint64(r.take(1)[0])
		skipped, moreAttempts, correct := small>>4, small>>2&3, small&3
		if small >= largeSkill {
			skipped, moreAttempts, correct = r.readUvarint(), r.readUvarint(), r.readUvarint()
		}
		if skipped >= games.SkillSpace-i {
			r.damaged = true
			return
		}
		i += skipped
		sums.Skills[i].Attempts += int64(moreAttempts) + 1
		sums.Skills[i].Correct += int64(correct)
	}
}

// PlayerSum sums the plays of one player.
type PlayerSum struct {
	Plays        int32
	BestScore    int16 // hundredths of a percent; 0 where no play was completed
	Completed    bool  // whether any play was completed
	Passed       bool
	LastPlayedAt int64 // start of the latest play in milliseconds since 1970
}

// add takes a pointer: a copy of fields that were just written would stall (store forwarding).
func (s *PlayerSum) add(o *PlayerSum) {
	s.Plays += o.Plays
	s.BestScore = max(s.BestScore, o.BestScore)
	s.Completed = s.Completed || o.Completed
	s.Passed = s.Passed || o.Passed
	s.LastPlayedAt = max(s.LastPlayedAt, o.LastPlayedAt)
}

// Players holds the sum of each player by ordinal. Ordinals are small and dense, so the sums are in
// pages that are allocated on first use. The zero Players is empty.
type Players struct{ pages []*[playersPerPage]PlayerSum }

const playersPerPage = 128

func (s *Players) sumOf(ordinal int32) *PlayerSum {
	n := int(ordinal / playersPerPage)
	if n >= len(s.pages) {
		s.pages = append(s.pages, make([]*[playersPerPage]PlayerSum, n+1-len(s.pages))...)
	}
	if s.pages[n] == nil {
		s.pages[n] = new([playersPerPage]PlayerSum)
	}
	return &s.pages[n][ordinal%playersPerPage]
}

// AddPlay adds the play to the sum of its player.
func (s *Players) AddPlay(p *Play) {
	s.sumOf(p.Player).add(&PlayerSum{
		Plays:        1,
		BestScore:    p.Score,
		Completed:    p.Completed,
		Passed:       p.Passed,
		LastPlayedAt: p.StartedAt,
	})
}

// Add adds a sum of further plays to the sum of the player.
func (s *Players) Add(ordinal int32, sum PlayerSum) { s.sumOf(ordinal).add(&sum) }

// Get returns the sum of a player, zero for a player without a play.
func (s *Players) Get(ordinal int32) PlayerSum {
	if n := int(ordinal / playersPerPage); n < len(s.pages) && s.pages[n] != nil {
		return s.pages[n][ordinal%playersPerPage]
	}
	return PlayerSum{}
}

// Each calls f for every player with a play, in ascending order of ordinals.
func (s *Players) Each(f func(ordinal int32, sum PlayerSum)) {
	for n, page := range s.pages {
		if page == nil {
			continue
		}
		for i, sum := range page {
			if sum.Plays > 0 {
				f(int32(n*playersPerPage+i), sum)
			}
		}
	}
}

// Ordinals returns the ordinals of the players with a play, ascending.
func (s *Players) Ordinals() []int32 {
	ordinals := make([]int32, 0, s.Count())
	s.Each(func(ordinal int32, _ PlayerSum) { ordinals = append(ordinals, ordinal) })
	return ordinals
}

// Count returns the number of players with a play.
func (s *Players) Count() int {
	n := 0
	s.Each(func(int32, PlayerSum) { n++ })
	return n
}

// Accumulator sums the plays of consecutive days. Call ExpectMonth first; plays, summed days and
// summed months may follow in any order.
type Accumulator struct {
	Total   Sums
	Days    []DaySums
	Players Players

	from int64 // in milliseconds since 1970
	// inExpectedMonth marks the days of expected months: their players are added with the month.
	inExpectedMonth []bool
}

const day = 24 * time.Hour

// NewAccumulator returns an accumulator for the given number of days, which begin at from.
func NewAccumulator(from time.Time, days int) *Accumulator {
	return &Accumulator{
		from:            from.UnixMilli(),
		Days:            make([]DaySums, days),
		inExpectedMonth: make([]bool, days),
	}
}

func (a *Accumulator) dayIndex(ms int64) int { return int((ms - a.from) / day.Milliseconds()) }

// AddPlay counts a play for its day, in the total and, outside of expected months, for its player.
// The play must have started on one of the days.
func (a *Accumulator) AddPlay(p *Play) {
	i := a.dayIndex(p.StartedAt)
	a.Days[i].add(p)
	a.Total.add(p)
	if !a.inExpectedMonth[i] {
		a.Players.AddPlay(p)
	}
}

// AddDay sets the sums of a day and adds them to the total. It adds no players.
func (a *Accumulator) AddDay(date time.Time, s *Sums) {
	a.Days[a.dayIndex(date.UnixMilli())] = s.DaySums
	a.Total.Add(s)
}

// InExpectedMonth reports whether the day's players are added with their month.
func (a *Accumulator) InExpectedMonth(date time.Time) bool {
	return a.inExpectedMonth[a.dayIndex(date.UnixMilli())]
}

// ExpectMonth announces a month whose players UnpackMonth or UnpackMembers adds, so that AddPlay
// does not count them twice. The accumulator must have all days of the month.
func (a *Accumulator) ExpectMonth(first time.Time) {
	for date := first; date.Before(first.AddDate(0, 1, 0)); date = date.Add(day) {
		a.inExpectedMonth[a.dayIndex(date.UnixMilli())] = true
	}
}
