package identity

import (
	"context"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
	"golang.org/x/sync/semaphore"
)

// hashCost is the cost of new hashes: OWASP's minimum for argon2id.
var hashCost = argon2id.Params{
	Memory:      19456, // KiB
	Iterations:  2,
	Parallelism: 1,
	SaltLength:  16,
	KeyLength:   32,
}

// Bounds of new imported hashes. One sign-in with a costlier hash delays the others.
const (
	maxImportedMemory      = 64 << 10 // KiB
	maxImportedParallelism = 4
	maxImportedWork        = 389_120 // KiB times iterations: ten times hashCost
)

// Bounds of stored hashes, which an import of version 1.0.0 took. Costlier ones match no password.
const (
	maxMemory      = 256 << 10 // KiB
	maxIterations  = 10
	maxParallelism = 16
)

// PasswordHashFormat describes the valid password hashes, for error messages.
const PasswordHashFormat = "argon2id in PHC form ($argon2id$v=19$m=…,t=…,p=…$salt$hash; " +
	"m up to 65536, t up to 10, p up to 4, m·t up to 389120)"

// ValidPasswordHash reports whether an import may store the text as a password hash.
func ValidPasswordHash(hash string) bool {
	p := costOf(hash)
	return p != nil && p.Memory <= maxImportedMemory && p.Parallelism <= maxImportedParallelism &&
		p.Memory*p.Iterations <= maxImportedWork
}

// PasswordMatches reports whether the password has the hash. An invalid hash matches no password.
func PasswordMatches(hash, password string) bool {
	if costOf(hash) == nil {
		return false
	}
	matches, err := argon2id.ComparePasswordAndHash(normalise(password), hash)
	return err == nil && matches
}

func costOf(hash string) *argon2id.Params {
	p, _, _, err := argon2id.DecodeHash(hash)
	if err != nil || p.Parallelism < 1 || p.Parallelism > maxParallelism ||
		p.Iterations < 1 || p.Iterations > maxIterations ||
		p.Memory < 8*uint32(p.Parallelism) || p.Memory > maxMemory ||
		p.SaltLength < 8 || p.SaltLength > 64 || p.KeyLength < 16 || p.KeyLength > 64 {
		return nil
	}
	return p
}

// hasher computes hashes. Concurrent computations share maxMemory, the most that one may need, and
// leave half of the processors to other requests: each takes at least least KiB.
type hasher struct {
	cost   argon2id.Params // of new hashes
	memory *semaphore.Weighted
	least  uint32
}

func newHasher(cost argon2id.Params) *hasher {
	// by default dg serve sets GOMAXPROCS to twice the number of processors
	concurrent := uint32(max(1, runtime.GOMAXPROCS(0)/4))
	return &hasher{cost, semaphore.NewWeighted(maxMemory), maxMemory / concurrent}
}

// Without a hash, matches computes a dummy one, so that its time does not reveal unknown accounts.
func (h *hasher) matches(ctx context.Context, hash *string, password string) (bool, error) {
	var cost *argon2id.Params
	if hash != nil && len(password) <= maxPassword { // bounds the work: no new password is longer
		cost = costOf(*hash)
	}
	if cost == nil {
		_, err := h.hash(ctx, "")
		return false, err
	}
	release, err := h.acquire(ctx, *cost)
	if err != nil {
		return false, err
	}
	defer release()
	return PasswordMatches(*hash, password), nil
}

func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx, h.cost)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(normalise(password), &h.cost)
}

func (h *hasher) acquire(ctx context.Context, cost argon2id.Params) (release func(), err error) {
	share := int64(max(cost.Memory, h.least))
	if err := h.memory.Acquire(ctx, share); err != nil {
		return nil, fmt.Errorf("identity: wait for a hash: %w", err)
	}
	return func() { h.memory.Release(share) }, nil
}
