package segment

import (
	"encoding/binary"
	"slices"
)

// Month is the binary form of a calendar month of plays, by player.
type Month struct {
	// Head is the version, a checksum, the number of players, and for each player, by ordinal: the
	// ordinal minus the one before and the plays (uvarints), the best score and whether a play was
	// completed and passed (2 bytes), and the milliseconds since the month began of the last play
	// (4 bytes).
	Head []byte
	// Tail is a checksum, and for each player the size of what follows (uvarint), the day (1 byte)
	// and the result (2 bytes) of each play, and the sums of the skills. The sizes let a reader
	// skip players. It is nil if the month has too many plays.
	Tail []byte
}

// PackMonth packs the month that begins at from, in milliseconds since 1970. It sorts plays in
// place. With nil plays the month has no tail.
func PackMonth(from int64, players *Players, plays []Play) Month {
	slices.SortFunc(plays, comparePlays)
	var m Month
	m.Head = binary.AppendUvarint(newBuffer(MonthVersion), uint64(players.Count()))
	if plays != nil {
		m.Tail = make([]byte, checksumSize)
	}
	var last int32
	players.Each(func(ordinal int32, s PlayerSum) {
		m.Head = appendPlayer(m.Head, from, ordinal-last, s)
		last = ordinal
		if plays != nil {
			packed := packPlays(from, plays[:s.Plays])
			m.Tail = append(binary.AppendUvarint(m.Tail, uint64(len(packed))), packed...)
			plays = plays[s.Plays:]
		}
	})
	putChecksum(m.Head, 1, from)
	if m.Tail != nil {
		putChecksum(m.Tail, 0, from)
	}
	return m
}

func appendPlayer(b []byte, from int64, delta int32, s PlayerSum) []byte {
	b = binary.AppendUvarint(b, uint64(delta))
	b = binary.AppendUvarint(b, uint64(s.Plays))
	b = binary.LittleEndian.AppendUint16(b,
		Play{Score: s.BestScore, Completed: s.Completed, Passed: s.Passed}.result())
	return binary.LittleEndian.AppendUint32(b, uint32(s.LastPlayedAt-from))
}

// playSize is the size of a day and a result.
const playSize = 3

// packPlays packs the plays of one player. It sums the skills: no report needs them by day.
func packPlays(from int64, plays []Play) (b []byte) {
	var sums Sums
	for _, p := range plays {
		b = append(b, uint8((p.StartedAt-from)/day.Milliseconds()))
		b = binary.LittleEndian.AppendUint16(b, p.result())
		sums.addAnswers(p.Answers)
	}
	return sums.appendSkills(b)
}

// UnpackMonth adds the players of a month to players. Errors: ErrDamaged, maybe after some are
// added.
func UnpackMonth(from int64, head []byte, players *Players) error {
	h := reader{b: head}
	var ordinal int32
	for n := h.header(MonthVersion, from); n > 0; n-- {
		plays, fixed := h.player(&ordinal)
		if h.damaged {
			return ErrDamaged
		}
		s := unpackPlayer(from, plays, fixed)
		players.sumOf(ordinal).add(&s)
	}
	if !h.done() {
		return ErrDamaged
	}
	return nil
}

// UnpackMembers adds the members' plays of a month to a. The month must have a tail. Errors:
// ErrDamaged, maybe after some are added.
func UnpackMembers(
	from int64, head, tail []byte, member func(ordinal int32) bool, a *Accumulator,
) error {
	t := reader{b: tail}
	t.check(from)
	first := a.index(from)
	h := reader{b: head}
	var ordinal int32
	for n := h.header(MonthVersion, from); n > 0; n-- {
		plays, fixed := h.player(&ordinal)
		packed := t.take(t.uvarint())
		if h.damaged {
			return ErrDamaged
		}
		if !member(ordinal) {
			continue
		}
		if !a.addMember(first, plays, packed) {
			return ErrDamaged
		}
		s := unpackPlayer(from, plays, fixed)
		a.Players.sumOf(ordinal).add(&s)
	}
	if !h.done() || !t.done() {
		return ErrDamaged
	}
	return nil
}

// player reads the next player of a month's head, undecoded: a group skips most of them. It
// advances ordinal from the previous player's, and sets damaged if the head is damaged.
func (r *reader) player(ordinal *int32) (plays int32, fixed []byte) {
	if b := r.b; len(b) >= 2+fixedSize && b[0]|b[1] < 0x80 { // nearly all
		*ordinal += int32(b[0])
		plays = int32(b[1])
		fixed = b[2:][:fixedSize]
		r.b = b[2+fixedSize:]
	} else {
		*ordinal += int32(r.uvarint())
		plays = int32(r.uvarint())
		fixed = r.take(fixedSize)
	}
	r.damaged = r.damaged || *ordinal < 0
	return plays, fixed
}

// unpackPlayer decodes what player has read.
func unpackPlayer(from int64, plays int32, fixed []byte) PlayerSum {
	result := binary.LittleEndian.Uint16(fixed)
	return PlayerSum{
		Plays:        plays,
		BestScore:    int16(result & resultScore),
		Completed:    result&resultCompleted != 0,
		Passed:       result&resultPassed != 0,
		LastPlayedAt: from + int64(binary.LittleEndian.Uint32(fixed[2:])),
	}
}

// addMember adds a player's packed plays to the total and to the days of a month, whose first day
// has the index first. It returns false if they are damaged.
func (a *Accumulator) addMember(first int, plays int32, packed []byte) bool {
	r := reader{b: packed}
	for range plays {
		b := r.take(playSize)
		if b == nil || first+int(b[0]) >= len(a.Days) {
			return false
		}
		var p Play
		p.setResult(binary.LittleEndian.Uint16(b[1:]))
		a.Days[first+int(b[0])].add(&p)
		a.Total.add(&p)
	}
	r.skills(&a.Total)
	return !r.damaged
}
