package password

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"
	"golang.org/x/sync/semaphore"
)

// Hasher computes password hashes. Concurrent hashes share maxMemory, the most that one may need.
type Hasher struct {
	cost   argon2id.Params // of new hashes
	memory *semaphore.Weighted
}

// NewHasher returns a hasher whose new hashes have the cost.
func NewHasher(cost argon2id.Params) *Hasher {
	return &Hasher{cost: cost, memory: semaphore.NewWeighted(maxMemory)}
}

// Matches reports whether the password has the hash. Without a valid hash it computes a dummy one,
// so that the time does not reveal the missing password.
func (h *Hasher) Matches(
	ctx context.Context, hash *string, password string,
) (matches bool, err error) {
	if hash == nil || !Valid(*hash) || len(password) > maxPassword { // none stored is longer
		_, err := h.Hash(ctx, "")
		return false, err
	}
	cost, _ := paramsOf(*hash)
	err = h.withMemory(ctx, cost, func() { matches = Verify(*hash, Normalise(password)) })
	return matches, err
}

// Hash returns the hash of a new password in PHC form.
func (h *Hasher) Hash(ctx context.Context, password string) (hash string, err error) {
	failure := h.withMemory(ctx, h.cost, func() {
		hash, err = argon2id.CreateHash(Normalise(password), &h.cost)
	})
	if failure != nil {
		return "", failure
	}
	return hash, err
}

func (h *Hasher) withMemory(ctx context.Context, cost argon2id.Params, compute func()) error {
	if err := h.memory.Acquire(ctx, int64(cost.Memory)); err != nil {
		return fmt.Errorf("password: wait for a hash: %w", err)
	}
	defer h.memory.Release(int64(cost.Memory))
	compute()
	return nil
}
