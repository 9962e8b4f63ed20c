package password

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// The bounds of hashing. It leaves one processor to the API and uses at most four. Its memory has
// room for one of the largest hashes.
const (
	hashingMemory = maxMemory // KiB
	maxWorkers    = 4
)

// processors is read before the program raises GOMAXPROCS beyond it.
var processors = runtime.GOMAXPROCS(0)

// Hasher computes password hashes, a few at a time.
type Hasher struct {
	cost   Cost // of new hashes
	memory *semaphore.Weighted
	share  int64 // of the memory: what a hash takes at least
}

// NewHasher returns a hasher whose new hashes have the cost.
func NewHasher(c Cost) *Hasher {
	workers := min(max(1, processors-1), maxWorkers)
	return &Hasher{
		cost:   c,
		memory: semaphore.NewWeighted(hashingMemory),
		share:  hashingMemory / int64(workers),
	}
}

// dummyHash takes the place of a missing hash, so that the time is the same. It matches no password.
func (h *Hasher) dummyHash() passwordHash {
	return passwordHash{Cost: h.cost, salt: make([]byte, saltLength), key: make([]byte, keyLength)}
}

// Matches reports whether the password has the hash. For nil, no hash, it takes the same time.
func (h *Hasher) Matches(
	ctx context.Context, phc *string, password string,
) (matches bool, err error) {
	stored := h.dummyHash()
	if len(password) > maxPassword { // no stored password is longer
		phc = nil
		password = ""
	}
	password = Normalise(password)
	if phc != nil {
		if parsed, ok := parseHash(*phc); ok {
			stored = parsed
		}
	}
	err = h.run(ctx, stored.Memory, func() { matches = stored.matches(password) })
	return matches, err
}

// Hash returns the hash of a new password in PHC form.
func (h *Hasher) Hash(ctx context.Context, password string) (phc string, err error) {
	password = Normalise(password)
	err = h.run(ctx, h.cost.Memory, func() { phc, _ = h.cost.Hash(password, rand.Reader) })
	return phc, err
}

func (h *Hasher) run(ctx context.Context, memory uint32, compute func()) error {
	share := max(int64(memory), h.share)
	if err := h.memory.Acquire(ctx, share); err != nil {
		return fmt.Errorf("password: wait for a hash: %w", err)
	}
	defer h.memory.Release(share)
	compute()
	return nil
}
