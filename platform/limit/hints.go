package limit

import (
	"hash/maphash"
	"sync"
)

// MaxHints bounds what Hints remembers: about 1 MB.
const MaxHints = 10_000

// Hints remembers a value for each key, such as the organisation of an accepted credential. Keys are
// stored as seeded hashes. A hint authorises nothing: it may be outdated.
type Hints[V comparable] struct {
	seed   maphash.Seed
	mu     sync.RWMutex
	values map[uint64]V
}

// NewHints returns hints without a key.
func NewHints[V comparable]() *Hints[V] {
	return &Hints[V]{seed: maphash.MakeSeed(), values: map[uint64]V{}}
}

// Get returns the value of a key, or the zero value.
func (h *Hints[V]) Get(key string) V {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.values[maphash.String(h.seed, key)]
}

// Put remembers the value of a key. At the limit it evicts a random one.
func (h *Hints[V]) Put(key string, value V) {
	if h.Get(key) == value {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.values) >= MaxHints {
		for other := range h.values {
			delete(h.values, other)
			break
		}
	}
	h.values[maphash.String(h.seed, key)] = value
}
