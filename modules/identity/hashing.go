package identity

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"dg/platform/apperr"
)

// The bounds of what passwords may cost at once: four computations of new hashes, or one of the largest that is taken
// over, and some more that wait for their turn.
const (
	hashingMemory = maxMemory // KiB
	leastShare    = hashingMemory / 4
	maxWaiting    = 64
)

var errBusy = apperr.New(apperr.Unavailable, "Too many people are signing in at once. Try again in a moment.")

// hashing computes hashes of passwords, a few at a time.
type hashing struct {
	memory  *semaphore.Weighted
	waiting atomic.Int64
}

func newHashing() *hashing { return &hashing{memory: semaphore.NewWeighted(hashingMemory)} }

// noHash is verified where there is no password: it takes the time of a new hash and fits none.
var noHash = hash{
	memory: hashMemory, time: hashTime, lanes: hashLanes, salt: make([]byte, saltLength), key: make([]byte, keyLength),
}

// fits says whether the password has the hash; nil is no hash and takes as long.
func (h *hashing) fits(ctx context.Context, phc *string, password string) (bool, error) {
	of := noHash
	if phc != nil {
		if stored, ok := parseHash(*phc); ok {
			of = stored
		}
	}
	fits := false
	err := h.do(ctx, of.memory, func() error {
		fits = of.fits(password)
		return nil
	})
	return fits, err
}

func (h *hashing) hash(ctx context.Context, password string, random io.Reader) (phc string, err error) {
	err = h.do(ctx, hashMemory, func() error {
		phc, err = HashPassword(password, random)
		return err
	})
	return phc, err
}

func (h *hashing) do(ctx context.Context, memory uint32, compute func() error) error {
	if h.waiting.Add(1) > maxWaiting {
		h.waiting.Add(-1)
		return errBusy
	}
	share := max(int64(memory), leastShare)
	err := h.memory.Acquire(ctx, share)
	h.waiting.Add(-1)
	if err != nil {
		return fmt.Errorf("identity: wait for a hash: %w", err)
	}
	defer h.memory.Release(share)
	return compute()
}
