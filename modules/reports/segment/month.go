package segment

import (
	"encoding/binary"
	"slices"
)

// Month is the binary form of a fork's plays in one calendar month.
type Month struct {
	// Head is the version, a checksum, the number of players (uvarint), and each player, by
	// ordinal. A player has the difference to the previous player's ordinal, and the number of
	// plays (uvarints). The result follows (2 bytes): the best score, and whether any play was
	// completed or passed. The last field is the start of the latest play in milliseconds since the
	// month began (4 bytes).
	Head []byte
	// Tail has the players again, in blocks of BlockPlayers ordinals, so that a reader can skip
	// blocks without members of a group. A block is a checksum and its players. A player is as in
	// Head, then a size (uvarint) and a part of that size: the day (1 byte) and the result (2
	// bytes) of each play, then the sums of the skills, as appendSkills packs them. The first
	// player of a block has the whole ordinal. Tail is nil if the month has too many plays.
	Tail       []byte
	BlockBytes []int // sizes of the blocks of Tail
}

// BlockPlayers is the number of ordinals of a block. If it changes, MonthVersion must change too.
const BlockPlayers = 64 * playersPerPage

// PackMonth packs the month that begins at start, in milliseconds since 1970. players must have the
// sums of the month's plays. PackMonth sorts plays in place. With nil plays the month has no tail.
func PackMonth(start int64, players *Players, plays []Play) Month {
	slices.SortFunc(plays, comparePlays)
	head := binary.AppendUvarint(newBuffer(MonthVersion), uint64(players.Count()))
	var previousOrdinal int32
	players.Each(func(ordinal int32, s PlayerSum) {
		head = appendPlayer(head, start, ordinal-previousOrdinal, s)
		previousOrdinal = ordinal
	})
	putChecksum(head, 1, start)
	m := Month{Head: head}
	if plays == nil {
		return m
	}
	for pages := range slices.Chunk(players.pages, BlockPlayers/playersPerPage) {
		firstOrdinal := int32(len(m.BlockBytes) * BlockPlayers)
		block, later := packBlock(start, firstOrdinal, Players{pages}, plays)
		plays = later
		m.Tail = append(m.Tail, block...)
		m.BlockBytes = append(m.BlockBytes, len(block))
	}
	return m
}

// packBlock packs the players of a block, whose ordinals count from firstOrdinal, and returns the
// plays of later blocks.
func packBlock(start int64, firstOrdinal int32, players Players, plays []Play) (b []byte, later []Play) {
	b = make([]byte, checksumSize)
	previousOrdinal := -firstOrdinal // the first ordinalDelta is the whole ordinal
	players.Each(func(ordinal int32, s PlayerSum) {
		b = appendPlayer(b, start, ordinal-previousOrdinal, s)
		previousOrdinal = ordinal
		packed := packPlays(start, plays[:s.Plays])
		b = append(binary.AppendUvarint(b, uint64(len(packed))), packed...)
		plays = plays[s.Plays:]
	})
	putChecksum(b, 0, start)
	return b, plays
}

func appendPlayer(b []byte, start int64, ordinalDelta int32, s PlayerSum) []byte {
	b = binary.AppendUvarint(b, uint64(ordinalDelta))
	b = binary.AppendUvarint(b, uint64(s.Plays))
	b = binary.LittleEndian.AppendUint16(b,
		Play{Score: s.BestScore, Completed: s.Completed, Passed: s.Passed}.result())
	return binary.LittleEndian.AppendUint32(b, uint32(s.LastPlayedAt-start))
}

// playSize is the size in bytes of a play in a tail: its day and its result.
const playSize = 3

// packPlays packs one player's plays of the month. It sums the skills: no report needs them by day.
func packPlays(start int64, plays []Play) (b []byte) {
	var sums Sums
	for _, p := range plays {
		b = append(b, uint8((p.StartedAt-start)/day.Milliseconds()))
		b = binary.LittleEndian.AppendUint16(b, p.result())
		sums.addAnswers(p.Answers)
	}
	return sums.appendSkills(b)
}

// UnpackMonth adds a month's sums to players. Errors: ErrDamaged, possibly after some are added.
func UnpackMonth(start int64, head []byte, players *Players) error {
	h := reader{b: head}
	var ordinal int32
	for n := h.readHeader(MonthVersion, start); n > 0; n-- {
		plays, fixedFields := h.readPlayer(&ordinal)
		if h.damaged {
			return ErrDamaged
		}
		s := unpackPlayer(start, plays, fixedFields)
		players.sumOf(ordinal).add(&s)
	}
	if !h.intactAtEnd() {
		return ErrDamaged
	}
	return nil
}

// UnpackMembers adds the members' plays in a month's block to the accumulator a. Errors:
// ErrDamaged, possibly after some plays are added.
func UnpackMembers(
	start int64, block []byte, isMember func(ordinal int32) bool, a *Accumulator,
) error {
	r := reader{b: block}
	r.verifyChecksum(start)
	firstDay := a.dayIndex(start)
	var ordinal int32
	for len(r.b) > 0 && !r.damaged {
		plays, fixedFields := r.readPlayer(&ordinal)
		packed := r.take(r.readUvarint())
		if r.damaged || !isMember(ordinal) {
			continue
		}
		if !a.addMember(firstDay, plays, packed) {
			return ErrDamaged
		}
		s := unpackPlayer(start, plays, fixedFields)
		a.Players.sumOf(ordinal).add(&s)
	}
	if r.damaged {
		return ErrDamaged
	}
	return nil
}

// readPlayer reads a player. It does not decode the fixed fields: UnpackMembers skips many players.
func (r *reader) readPlayer(ordinal *int32) (plays int32, fixedFields []byte) {
	// nearly all players have numbers of one byte
	if b := r.b; len(b) >= 2+fixedFieldsSize && b[0]|b[1] < 0x80 {
		*ordinal += int32(b[0])
		plays = int32(b[1])
		fixedFields = b[2:][:fixedFieldsSize]
		r.b = b[2+fixedFieldsSize:]
	} else {
		*ordinal += int32(r.readUvarint())
		plays = int32(r.readUvarint())
		fixedFields = r.take(fixedFieldsSize)
	}
	r.damaged = r.damaged || *ordinal < 0
	return plays, fixedFields
}

func unpackPlayer(start int64, plays int32, fixedFields []byte) PlayerSum {
	result := binary.LittleEndian.Uint16(fixedFields)
	return PlayerSum{
		Plays:        plays,
		BestScore:    int16(result & resultScore),
		Completed:    result&resultCompleted != 0,
		Passed:       result&resultPassed != 0,
		LastPlayedAt: start + int64(binary.LittleEndian.Uint32(fixedFields[2:])),
	}
}

// addMember returns false if packed is damaged, possibly after it has added some plays.
func (a *Accumulator) addMember(firstDay int, plays int32, packed []byte) bool {
	r := reader{b: packed}
	for range plays {
		b := r.take(playSize)
		if b == nil || firstDay+int(b[0]) >= len(a.Days) {
			return false
		}
		var p Play
		p.setResult(binary.LittleEndian.Uint16(b[1:]))
		a.Days[firstDay+int(b[0])].add(&p)
		a.Total.add(&p)
	}
	r.readSkills(&a.Total)
	return !r.damaged
}
