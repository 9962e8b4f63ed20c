package segment

import (
	"encoding/binary"
	"math/bits"

	"dg/modules/games"
)

// The sums of one player's skills in a month are mostly small. A bit for each skill says which are
// present, and half a byte for each of these is an index of fewSums, or says that the sums come after
// the half bytes: in a byte, or in two uvarints.
const (
	inByte     = 14
	inUvarints = 15
)

// fewSums are the sums of up to four attempts.
var fewSums = []SkillSums{
	{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}, {3, 0}, {3, 1}, {3, 2}, {3, 3}, {4, 0}, {4, 1}, {4, 2},
	{4, 3}, {4, 4},
}

// half is the 4-bit code of the sums: their index among the small ones, or inByte, or inUvarints.
func (k SkillSums) half() byte {
	switch {
	case k.Attempts <= 4:
		return byte((k.Attempts-1)*(k.Attempts+2)/2 + k.Correct)
	case k.Attempts < 16:
		return inByte
	}
	return inUvarints
}

// appendSkills appends the number of bytes of the bits, the bits, the half bytes and what follows
// them.
func appendSkills(b []byte, skills *[games.SkillSpace]SkillSums) []byte {
	var present [games.SkillSpace / 8]byte
	used := 0
	n := 0
	var halves [games.SkillSpace / 2]byte
	var rest []byte
	for i, k := range skills {
		if k.Attempts == 0 {
			continue
		}
		present[i/8] |= 1 << (i % 8)
		used = i/8 + 1
		half := k.half()
		halves[n/2] |= half << (4 * (n % 2))
		n++
		switch half {
		case inByte:
			rest = append(rest, byte(k.Attempts<<4|k.Correct))
		case inUvarints:
			rest = binary.AppendUvarint(binary.AppendUvarint(rest, uint64(k.Attempts)),
				uint64(k.Correct))
		}
	}
	b = append(append(b, byte(used)), present[:used]...)
	return append(append(b, halves[:(n+1)/2]...), rest...)
}

// skills adds what appendSkills appended, up to the end.
func (r *reader) skills(to *Sums) {
	var used uint64
	if b := r.take(1); b != nil {
		used = uint64(b[0])
	}
	present := r.take(used)
	n := 0
	if used > games.SkillSpace/8 {
		r.bad = true
	}
	for _, b := range present {
		n += bits.OnesCount8(b)
	}
	halves := r.take(uint64(n+1) / 2)
	n = 0
	for i := 0; i < len(present) && !r.bad; i++ {
		for b := present[i]; b != 0; b &= b - 1 {
			k := r.sums(halves[n/2] >> (4 * (n % 2)) & 15)
			n++
			skill := &to.Skills[8*i+bits.TrailingZeros8(b)]
			skill.Attempts += k.Attempts
			skill.Correct += k.Correct
		}
	}
	r.bad = r.bad || len(r.b) > 0
}

// sums returns the sums of a half byte.
func (r *reader) sums(half byte) SkillSums {
	switch half {
	case inByte:
		if b := r.take(1); b != nil {
			return SkillSums{int64(b[0] >> 4), int64(b[0] & 15)}
		}
		return SkillSums{}
	case inUvarints:
		return SkillSums{int64(r.uvarint()), int64(r.uvarint())}
	}
	return fewSums[half]
}
