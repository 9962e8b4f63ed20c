package segment

import "encoding/binary"

// PackMonth packs the players of the month that begins at from, in milliseconds since 1970: the version, the checksum, the
// number of players, and for each player, by ordinal: the ordinal minus the one before and the plays (uvarints), the best
// score and whether a play was completed and passed (2 bytes), and the milliseconds since the month began of the last play (4 bytes).
func PackMonth(from int64, players *Players) []byte {
	b := binary.AppendUvarint(newPacked(), uint64(players.Count()))
	var last int32
	players.Each(func(ordinal int32, p PlayerSum) {
		b = binary.AppendUvarint(b, uint64(ordinal-last))
		b = binary.AppendUvarint(b, uint64(p.Plays))
		b = binary.LittleEndian.AppendUint16(b, Play{Score: p.Best, Completed: p.Completed, Passed: p.Passed}.result())
		b = binary.LittleEndian.AppendUint32(b, uint32(p.Last-from))
		last = ordinal
	})
	putChecksum(b, 1, from)
	return b
}

// UnpackMonth adds the players of a month to players. Errors: ErrDamaged.
func UnpackMonth(from int64, packed []byte, players *Players) error {
	r := reader{b: packed}
	var ordinal int32
	for n := r.header(from); n > 0 && !r.bad; n-- {
		ordinal += int32(r.uvarint())
		plays := r.uvarint()
		fixed := r.take(fixedSize)
		if fixed == nil {
			break
		}
		result := binary.LittleEndian.Uint16(fixed)
		players.of(ordinal).add(PlayerSum{
			Plays: int32(plays), Best: int16(result & resultScore),
			Completed: result&resultCompleted != 0, Passed: result&resultPassed != 0,
			Last: from + int64(binary.LittleEndian.Uint32(fixed[2:])),
		})
	}
	if !r.done() {
		return ErrDamaged
	}
	return nil
}
