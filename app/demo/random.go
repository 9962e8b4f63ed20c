package demo

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/google/uuid"
)

// seeded is a source of numbers and ids that depend on the seed alone.
type seeded struct{ *rand.Rand }

func newSeeded(seed uint64) seeded {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "dg demo")
	return seeded{rand.New(rand.NewChaCha8(key))} //nolint:gosec // the demo is the same each time
}

// id draws a random UUID (version 4).
func (s seeded) id() uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], s.Uint64())
	binary.BigEndian.PutUint64(id[8:], s.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// chance reports true with probability p.
func (s seeded) chance(p float64) bool { return s.Float64() < p }
