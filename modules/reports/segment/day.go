package segment

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Day is the binary form of a fork's plays on one day.
type Day struct {
	Sums Sums
	// Head is the version, a checksum, the number of plays (uvarint), and each play, ordered by
	// player and start. A play has its player's ordinal less the previous play's (uvarint), the
	// result (2 bytes), and the start in milliseconds since the day began (4 bytes).
	Head []byte
	// Tail is a checksum, and for each play, as ordered in Head, the number of its answers
	// (uvarint) and the answers.
	Tail []byte
}

// fixedFieldsSize is the size in bytes of result and start, the last fields of a play or player.
const fixedFieldsSize = 6

// PackDay packs a day that begins at start, in milliseconds since 1970. It sorts plays in place.
func PackDay(start int64, plays []Play) Day {
	slices.SortFunc(plays, comparePlays)
	d := Day{Tail: make([]byte, checksumSize)}
	d.Head = binary.AppendUvarint(newBuffer(DayVersion), uint64(len(plays)))
	var previousOrdinal int32
	for i := range plays {
		p := &plays[i]
		d.Sums.add(p)
		d.Head = binary.AppendUvarint(d.Head, uint64(p.Player-previousOrdinal))
		d.Head = binary.LittleEndian.AppendUint16(d.Head, p.result())
		d.Head = binary.LittleEndian.AppendUint32(d.Head, uint32(p.StartedAt-start))
		d.Tail = append(binary.AppendUvarint(d.Tail, uint64(len(p.Answers))), p.Answers...)
		previousOrdinal = p.Player
	}
	putChecksum(d.Head, 1, start)
	putChecksum(d.Tail, 0, start)
	return d
}

func comparePlays(a, b Play) int {
	return cmp.Or(cmp.Compare(a.Player, b.Player), cmp.Compare(a.StartedAt, b.StartedAt),
		cmp.Compare(a.result(), b.result()), slices.Compare(a.Answers, b.Answers))
}

// UnpackDay calls f for each play or, unless isMember is nil, each member's play, ordered by player.
// f must not keep its argument, which the next play overwrites. With a nil tail the plays have no
// answers. Errors: ErrDamaged, possibly after calls of f.
func UnpackDay(
	start int64, head, tail []byte, isMember func(ordinal int32) bool, f func(*Play),
) error {
	headReader := reader{b: head}
	tailReader := reader{b: tail}
	if tail != nil {
		tailReader.verifyChecksum(start)
	}
	var p Play
	n := headReader.readHeader(DayVersion, start)
	for ; n > 0 && !headReader.damaged && !tailReader.damaged; n-- {
		p.Player += int32(headReader.readUvarint())
		fixedFields := headReader.take(fixedFieldsSize)
		if fixedFields == nil {
			break
		}
		if tail != nil {
			p.Answers = tailReader.take(tailReader.readUvarint())
		}
		if isMember != nil && !isMember(p.Player) {
			continue
		}
		p.setResult(binary.LittleEndian.Uint16(fixedFields))
		p.StartedAt = start + int64(binary.LittleEndian.Uint32(fixedFields[2:]))
		f(&p)
	}
	if !headReader.intactAtEnd() || !tailReader.intactAtEnd() {
		return ErrDamaged
	}
	return nil
}
