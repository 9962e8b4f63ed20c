package reports

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"dg/modules/games"
)

// segmentVersion is the first byte of everything that is sealed. A form that changes gets the next one: what has another
// version is not read, and is sealed again.
const segmentVersion = 2

// errSegment says that a segment does not hold what its version says.
var errSegment = errors.New("reports: a segment is damaged")

// A play's result in two bytes: the score, and whether it was completed and passed.
const (
	resultScore     = 1<<14 - 1
	resultCompleted = 1 << 14
	resultPassed    = 1 << 15
)

func (p play) result() uint16 {
	r := uint16(p.score)
	if p.completed {
		r |= resultCompleted
	}
	if p.passed {
		r |= resultPassed
	}
	return r
}

func (p *play) setResult(r uint16) {
	p.score, p.completed, p.passed = int16(r&resultScore), r&resultCompleted != 0, r&resultPassed != 0
}

// daySegment is the plays of a day, packed. Its head is what is known of players: the version, the checksum of what
// follows, how many plays, and for each, by player and start, the distance to the player before (uvarint), the result (2
// bytes) and the milliseconds since the day began (4). Its tail is a checksum, and the answers of each: how many (uvarint),
// and they.
type daySegment struct {
	sums       sums
	head, tail []byte
}

// packDay packs the plays of the day that begins at from, in milliseconds since 1970. Equal plays give equal bytes,
// whatever their order. It sorts them.
func packDay(from int64, plays []play) daySegment {
	slices.SortFunc(plays, func(a, b play) int {
		return cmp.Or(cmp.Compare(a.player, b.player), cmp.Compare(a.startedAt, b.startedAt),
			cmp.Compare(a.result(), b.result()), slices.Compare(a.answers, b.answers))
	})
	s := daySegment{tail: make([]byte, checksumSize)}
	s.head = binary.AppendUvarint(newPacked(), uint64(len(plays)))
	var last int32
	for _, p := range plays {
		s.sums.add(p)
		s.head = binary.AppendUvarint(s.head, uint64(p.player-last))
		s.head = binary.LittleEndian.AppendUint16(s.head, p.result())
		s.head = binary.LittleEndian.AppendUint32(s.head, uint32(p.startedAt-from))
		s.tail = append(binary.AppendUvarint(s.tail, uint64(len(p.answers))), p.answers...)
		last = p.player
	}
	putChecksum(s.head, 1, from)
	putChecksum(s.tail, 0, from)
	return s
}

// newPacked is the version, and room for the checksum.
func newPacked() []byte { return append([]byte{segmentVersion}, make([]byte, checksumSize)...) }

// reader reads a segment from its front. What is asked beyond the end sets bad, and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // the usual case, inlined
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) take(n uint64) []byte {
	if uint64(len(r.b)) < n {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

// begin checks the version and the checksum, for what begins at from, and returns how many follow.
func (r *reader) begin(from int64) uint64 {
	if v := r.take(1); v == nil || v[0] != segmentVersion {
		r.bad = true
		return 0
	}
	if r.check(from); r.bad {
		return 0
	}
	return r.uvarint()
}

// check reads a checksum and compares it with what follows.
func (r *reader) check(from int64) {
	if sum := r.take(checksumSize); sum == nil || binary.LittleEndian.Uint32(sum) != checksum(from, r.b) {
		r.bad = true
	}
}

// unpackDay calls f for each play of a day, by player. head is the segment's head; answers are given when tail is. Errors:
// errSegment.
func unpackDay(from int64, head, tail []byte, f func(play)) error {
	h, t := reader{b: head}, reader{b: tail}
	if tail != nil {
		t.check(from)
	}
	var p play
	for n := h.begin(from); n > 0 && !h.bad && !t.bad; n-- {
		p.player += int32(h.uvarint())
		fixed := h.take(6)
		if fixed == nil {
			break
		}
		p.setResult(binary.LittleEndian.Uint16(fixed))
		p.startedAt = from + int64(binary.LittleEndian.Uint32(fixed[2:]))
		if tail != nil {
			p.answers = t.take(t.uvarint())
		}
		f(p)
	}
	if h.bad || t.bad || len(h.b) > 0 || len(t.b) > 0 {
		return errSegment
	}
	return nil
}

// packMonth packs the players of the month that begins at from: the version, the checksum, how many, and for each, by ordinal, the
// distance to the one before and the plays (uvarints), the best score and whether one passed (2 bytes), and the last
// play's milliseconds since the month began (4).
func packMonth(from int64, players *playerSums) []byte {
	n := uint64(0)
	players.each(func(int32, playerSum) { n++ })
	b := binary.AppendUvarint(newPacked(), n)
	var last int32
	players.each(func(ordinal int32, p playerSum) {
		b = binary.AppendUvarint(b, uint64(ordinal-last))
		b = binary.AppendUvarint(b, uint64(p.plays))
		b = binary.LittleEndian.AppendUint16(b, play{score: p.best, passed: p.passed}.result())
		b = binary.LittleEndian.AppendUint32(b, uint32(p.last-from))
		last = ordinal
	})
	putChecksum(b, 1, from)
	return b
}

// unpackMonth adds the players of a month. Errors: errSegment.
func unpackMonth(from int64, segment []byte, players *playerSums) error {
	r := reader{b: segment}
	var ordinal int32
	for n := r.begin(from); n > 0 && !r.bad; n-- {
		ordinal += int32(r.uvarint())
		plays := r.uvarint()
		fixed := r.take(6)
		if fixed == nil {
			break
		}
		result := binary.LittleEndian.Uint16(fixed)
		players.of(ordinal).add(playerSum{
			plays: int32(plays), best: int16(result & resultScore), passed: result&resultPassed != 0,
			last: from + int64(binary.LittleEndian.Uint32(fixed[2:])),
		})
	}
	if r.bad || len(r.b) > 0 {
		return errSegment
	}
	return nil
}

// sums are the figures of some plays but for their players.
type sums struct {
	daySum
	passed int64
	skills [games.SkillSpace]skillSum
}

// add counts one play.
func (s *sums) add(p play) {
	s.plays++
	if p.completed {
		s.completed++
		s.score += int64(p.score)
	}
	if p.passed {
		s.passed++
	}
	for _, b := range p.answers {
		a := games.Answer(b)
		k := &s.skills[a.Skill()]
		k.attempts++
		if a.Correct() {
			k.correct++
		}
	}
}

// pack packs the sums of the day that begins at from: the version, the checksum, the four figures, and place, attempts and
// correct answers of each skill that has any, all uvarints.
func (s *sums) pack(from int64) []byte {
	b := newPacked()
	for _, n := range []int64{s.plays, s.completed, s.score, s.passed} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for i, k := range s.skills {
		if k.attempts > 0 {
			for _, n := range []int64{int64(i), k.attempts, k.correct} {
				b = binary.AppendUvarint(b, uint64(n))
			}
		}
	}
	putChecksum(b, 1, from)
	return b
}

// unpackSums reads the packed sums of the day that begins at from. Errors: errSegment.
func unpackSums(from int64, b []byte) (s sums, err error) {
	r := reader{b: b}
	s.plays = int64(r.begin(from))
	s.completed, s.score, s.passed = int64(r.uvarint()), int64(r.uvarint()), int64(r.uvarint())
	for len(r.b) > 0 && !r.bad {
		i := r.uvarint()
		k := skillSum{int64(r.uvarint()), int64(r.uvarint())}
		if i >= games.SkillSpace {
			return s, errSegment
		}
		s.skills[i] = k
	}
	if r.bad {
		return s, errSegment
	}
	return s, nil
}
