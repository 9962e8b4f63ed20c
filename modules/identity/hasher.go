package identity

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// The bounds of hashing. It runs on all processors but one, which stays with the API, and at most
// four; its memory has room for one of the largest hashes.
const (
	hashingMemory = maxMemory // KiB
	maxWorkers    = 4
)

// processors is read before the program lets more threads run than there are.
var processors = runtime.GOMAXPROCS(0)

// hasher computes password hashes, a few at a time.
type hasher struct {
	cost   cost // of new hashes
	memory *semaphore.Weighted
	share  int64 // of the memory: what a hash takes at least
}

func newHasher(c cost) *hasher {
	workers := min(max(1, processors-1), maxWorkers)
	return &hasher{
		cost:   c,
		memory: semaphore.NewWeighted(hashingMemory),
		share:  hashingMemory / int64(workers),
	}
}

// dummyHash is verified for an account without a hash, in the same time. It matches no password.
func (h *hasher) dummyHash() passwordHash {
	return passwordHash{cost: h.cost, salt: make([]byte, saltLength), key: make([]byte, keyLength)}
}

// matches reports whether the password has the hash; nil is no hash and takes as long.
func (h *hasher) matches(
	ctx context.Context, phc *string, password string,
) (matches bool, err error) {
	stored := h.dummyHash()
	if phc != nil {
		if parsed, ok := parseHash(*phc); ok {
			stored = parsed
		}
	}
	err = h.run(ctx, stored.memory, func() { matches = stored.matches(password) })
	return matches, err
}

func (h *hasher) hash(ctx context.Context, password string) (phc string, err error) {
	// which never fails
	err = h.run(ctx, h.cost.memory, func() { phc, _ = h.cost.hash(password, rand.Reader) })
	return phc, err
}

func (h *hasher) run(ctx context.Context, memory uint32, compute func()) error {
	share := max(int64(memory), h.share)
	if err := h.memory.Acquire(ctx, share); err != nil {
		return fmt.Errorf("identity: wait for a hash: %w", err)
	}
	defer h.memory.Release(share)
	compute()
	return nil
}
