package segment

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Month is one packed month.
type Month struct {
	// Head is the version, a checksum, the number of players, and for each player, by ordinal: the
	// ordinal minus the one before and the plays (uvarints), the best score and whether a play was
	// completed and passed (2 bytes), and the milliseconds since the month began of the last play
	// (4 bytes).
	Head []byte
	// Tail is a checksum, and for each player the size of what follows (uvarint), the day (1 byte)
	// and the result (2 bytes) of each play, and the sums of the skills. The sizes let a reader skip
	// players. It is nil if the month has too many plays.
	Tail []byte
}

// MonthPlays collects the plays of a month.
type MonthPlays struct {
	from    int64
	players Players
	bound   int // of the bytes of plays; beyond it they are dropped
	plays   []monthPlay
	answers []byte
	dropped bool
}

// monthPlay is one play; its answers begin at first.
type monthPlay struct {
	player  int32
	first   uint32
	answers uint16
	result  uint16
	day     uint8
}

const monthPlayBytes = 16

// NewMonthPlays collects the month that begins at from, in milliseconds since 1970. Above bound bytes
// plays are summed by player alone.
func NewMonthPlays(from int64, bound int) *MonthPlays { return &MonthPlays{from: from, bound: bound} }

// Add takes a play, which may change afterwards.
func (m *MonthPlays) Add(p *Play) {
	m.players.addPlay(p)
	if m.dropped {
		return
	}
	if monthPlayBytes*(len(m.plays)+1)+len(m.answers)+len(p.Answers) > m.bound {
		m.plays = nil
		m.answers = nil
		m.dropped = true
		return
	}
	m.plays = append(m.plays, monthPlay{
		player: p.Player, first: uint32(len(m.answers)), answers: uint16(len(p.Answers)),
		result: p.result(), day: uint8((p.StartedAt - m.from) / day.Milliseconds()),
	})
	m.answers = append(m.answers, p.Answers...)
}

// Empty reports whether no play was added.
func (m *MonthPlays) Empty() bool { return m.players.Count() == 0 }

// Pack packs the month, once: it drops the plays.
func (m *MonthPlays) Pack() Month {
	slices.SortFunc(m.plays, func(a, b monthPlay) int {
		return cmp.Or(cmp.Compare(a.player, b.player), cmp.Compare(a.day, b.day),
			cmp.Compare(a.result, b.result))
	})
	p := Month{Head: binary.AppendUvarint(newPacked(MonthVersion), uint64(m.players.Count()))}
	if !m.dropped {
		// preallocated: append would use twice the memory
		p.Tail = make([]byte, checksumSize, checksumSize+playSize*len(m.plays)+len(m.answers))
	}
	var last int32
	var block []byte
	rest := m.plays
	m.players.Each(func(ordinal int32, s PlayerSum) {
		p.Head = appendPlayer(p.Head, m.from, ordinal-last, s)
		last = ordinal
		if !m.dropped {
			block = m.appendPlays(block[:0], rest[:s.Plays])
			p.Tail = append(binary.AppendUvarint(p.Tail, uint64(len(block))), block...)
			rest = rest[s.Plays:]
		}
	})
	putChecksum(p.Head, 1, m.from)
	if !m.dropped {
		putChecksum(p.Tail, 0, m.from)
	}
	m.plays = nil
	m.answers = nil
	return p
}

func appendPlayer(b []byte, from int64, delta int32, s PlayerSum) []byte {
	b = binary.AppendUvarint(b, uint64(delta))
	b = binary.AppendUvarint(b, uint64(s.Plays))
	b = binary.LittleEndian.AppendUint16(b,
		Play{Score: s.Best, Completed: s.Completed, Passed: s.Passed}.result())
	return binary.LittleEndian.AppendUint32(b, uint32(s.Last-from))
}

// playSize is the size of a day and a result.
const playSize = 3

// appendPlays appends the plays of one player.
func (m *MonthPlays) appendPlays(b []byte, plays []monthPlay) []byte {
	var sums Sums
	for _, p := range plays {
		b = binary.LittleEndian.AppendUint16(append(b, p.day), p.result)
		sums.addAnswers(m.answers[p.first:][:p.answers])
	}
	return sums.appendSkills(b)
}

// UnpackMonth adds the players of a month to players. Errors: ErrDamaged.
func UnpackMonth(from int64, head []byte, players *Players) error {
	h := headOf(from, head)
	for h.next() {
		sum := h.sum()
		players.of(h.ordinal).add(&sum)
	}
	if !h.done() {
		return ErrDamaged
	}
	return nil
}

// UnpackMembers adds the plays of some players of a month with a tail. Errors: ErrDamaged.
func UnpackMembers(
	from int64, head, tail []byte, member func(ordinal int32) bool, a *Accumulator,
) error {
	t := reader{b: tail}
	t.check(from)
	first := a.index(from)
	h := headOf(from, head)
	for h.next() {
		plays := t.take(t.uvarint())
		if !member(h.ordinal) {
			continue
		}
		s := h.sum()
		if !a.addMember(first, s.Plays, plays) {
			return ErrDamaged
		}
		a.Players.of(h.ordinal).add(&s)
	}
	if !h.done() || !t.done() {
		return ErrDamaged
	}
	return nil
}

// monthHead reads the players of a month's head.
type monthHead struct {
	reader
	from    int64
	left    uint64
	ordinal int32
	plays   uint64
	fixed   []byte
}

func headOf(from int64, head []byte) *monthHead {
	h := &monthHead{reader: reader{b: head}, from: from}
	h.left = h.header(MonthVersion, from)
	return h
}

// next reads the next player. It returns false at the end, where done says whether the head is whole.
func (h *monthHead) next() bool {
	if h.left == 0 || h.bad {
		return false
	}
	h.left--
	h.ordinal += int32(h.uvarint())
	h.plays = h.uvarint()
	h.fixed = h.take(fixedSize)
	h.bad = h.bad || h.ordinal < 0
	return !h.bad
}

// sum returns the player's sum.
func (h *monthHead) sum() PlayerSum {
	result := binary.LittleEndian.Uint16(h.fixed)
	return PlayerSum{
		Plays: int32(h.plays), Best: int16(result & resultScore),
		Completed: result&resultCompleted != 0, Passed: result&resultPassed != 0,
		Last: h.from + int64(binary.LittleEndian.Uint32(h.fixed[2:])),
	}
}

// addMember adds a player's packed plays to the days, the first of which is the first-th, and to the
// total. It reports whether they are whole.
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
	return !r.bad
}
