package segment

import (
	"encoding/binary"

	"dg/modules/games"
)

// Sums add up plays without telling players apart.
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
		k := &s.Skills[a.Skill()]
		k.Attempts++
		if a.Correct() {
			k.Correct++
		}
	}
}

// Add adds the sums of other plays to s.
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

// Pack packs the sums of the day that begins at from, in milliseconds since 1970.
func (s *Sums) Pack(from int64) []byte {
	b := newBuffer(DayVersion)
	for _, n := range []int64{s.Plays, s.Completed, s.ScoreSum, s.Passed} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = s.appendSkills(b)
	putChecksum(b, 1, from)
	return b
}

func (s *Sums) appendSkills(b []byte) []byte {
	for i, k := range s.Skills {
		if k.Attempts > 0 {
			b = binary.AppendUvarint(b, uint64(i))
			b = binary.AppendUvarint(b, uint64(k.Attempts))
			b = binary.AppendUvarint(b, uint64(k.Correct))
		}
	}
	return b
}

// UnpackSums returns the sums that Pack has packed. Errors: ErrDamaged.
func UnpackSums(from int64, b []byte) (s Sums, err error) {
	r := reader{b: b}
	s.Plays = int64(r.header(DayVersion, from))
	s.Completed = int64(r.uvarint())
	s.ScoreSum = int64(r.uvarint())
	s.Passed = int64(r.uvarint())
	if r.skills(&s); r.damaged {
		return s, ErrDamaged
	}
	return s, nil
}

// skills adds what appendSkills packed, up to the end of the bytes.
func (r *reader) skills(to *Sums) {
	for len(r.b) > 0 && !r.damaged {
		i := r.uvarint()
		attempts := int64(r.uvarint())
		correct := int64(r.uvarint())
		if i >= games.SkillSpace {
			r.damaged = true
			return
		}
		to.Skills[i].Attempts += attempts
		to.Skills[i].Correct += correct
	}
}
