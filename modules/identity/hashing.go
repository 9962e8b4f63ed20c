package identity

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// The bounds of what passwords may cost at once. Hashes are computed on all processors but one, which is the API's, and at
// most four at once; in memory they have room for one of the largest that is taken over. Who waits for one was admitted.
const (
	hashingMemory = maxMemory // KiB
	maxWorkers    = 4
)

// hashing computes hashes of passwords, a few at a time.
type hashing struct {
	memory *semaphore.Weighted
	share  int64 // of the memory, that a hash takes at least
}

func newHashing() *hashing {
	workers := min(max(1, runtime.GOMAXPROCS(0)-1), maxWorkers)
	return &hashing{memory: semaphore.NewWeighted(hashingMemory), share: hashingMemory / int64(workers)}
}

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
	share := max(int64(memory), h.share)
	if err := h.memory.Acquire(ctx, share); err != nil {
		return fmt.Errorf("identity: wait for a hash: %w", err)
	}
	defer h.memory.Release(share)
	return compute()
}
