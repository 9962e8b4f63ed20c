package password

import (
	"context"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
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
	cost   argon2id.Params // of new hashes
	memory *semaphore.Weighted
	share  int64 // of the memory: what a hash takes at least
}

// NewHasher returns a hasher whose new hashes have the cost.
func NewHasher(cost argon2id.Params) *Hasher {
	workers := min(max(1, processors-1), maxWorkers)
	return &Hasher{
		cost:   cost,
		memory: semaphore.NewWeighted(hashingMemory),
		share:  hashingMemory / int64(workers),
	}
}

// Matches reports whether the password has the hash. Without a hash that could match, it takes the
// time of a new one.
func (h *Hasher) Matches(
	ctx context.Context, hash *string, password string,
) (matches bool, err error) {
	if hash == nil || !Valid(*hash) || len(password) > maxPassword { // none stored is longer
		_, err := h.Hash(ctx, "")
		return false, err
	}
	cost, _ := paramsOf(*hash)
	err = h.run(ctx, cost, func() { matches = Verify(*hash, Normalise(password)) })
	return matches, err
}

// Hash returns the hash of a new password in PHC form.
func (h *Hasher) Hash(ctx context.Context, password string) (hash string, err error) {
	failure := h.run(ctx, h.cost, func() {
		hash, err = argon2id.CreateHash(Normalise(password), &h.cost)
	})
	if failure != nil {
		return "", failure
	}
	return hash, err
}

func (h *Hasher) run(ctx context.Context, cost argon2id.Params, compute func()) error {
	share := max(int64(cost.Memory), h.share)
	if err := h.memory.Acquire(ctx, share); err != nil {
		return fmt.Errorf("password: wait for a hash: %w", err)
	}
	defer h.memory.Release(share)
	compute()
	return nil
}
