package limit

import (
	"context"
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Requests bounds the requests that use a pool: one tenant's burst cannot take all connections.
type Requests struct {
	tenants, networks *Limiter
	// known maps a credential's hash to its organisation. Entries may be outdated: they authorise
	// nothing.
	known *lru.Cache[uint64, string]
	seed  maphash.Seed
}

// maxKnown bounds the memory of known credentials.
const maxKnown = 10_000

// The surfaces. Each has its own limit per organisation: a flood of API requests does not keep an
// owner from revoking the key.
const (
	API     = "api "
	Screens = "screens "
	Revoke  = "revoke " // the screen that revokes a leaked key
)

// NewRequests reserves a tenth of the slots for unknown credentials, with one per network: a flood
// of invalid credentials delays only itself. On each surface an organisation has at most a third of
// the remaining slots.
func NewRequests(connections int) *Requests {
	const busy = "Too many requests are waiting."
	unknown := max(1, connections/10)
	slots := max(1, connections-unknown)
	known, err := lru.New[uint64, string](maxKnown)
	if err != nil {
		panic(err) // only a size below 1 fails
	}
	return &Requests{
		tenants:  New(Options{Max: slots, PerKey: max(1, slots/3), BusyMessage: busy}),
		networks: New(Options{Max: unknown, PerKey: 1, BusyMessage: busy}),
		known:    known,
		seed:     maphash.MakeSeed(),
	}
}

// Acquire takes a slot of the credential's organisation, or of the network if the credential is
// unknown. The caller must call release. Acquire returns the errors of Limiter.Acquire.
func (r *Requests) Acquire(
	ctx context.Context, surface, credential, network string,
) (release func(), err error) {
	if organisation, ok := r.known.Get(maphash.String(r.seed, credential)); ok {
		return r.tenants.Acquire(ctx, surface+organisation)
	}
	return r.networks.Acquire(ctx, network)
}

// Remember stores the organisation of a valid credential, for Acquire.
func (r *Requests) Remember(credential, organisation string) {
	r.known.Add(maphash.String(r.seed, credential), organisation)
}

// Limiters returns the limiters by the value of their label in metrics.
func (r *Requests) Limiters() map[string]*Limiter {
	return map[string]*Limiter{"requests": r.tenants, "unknown_requests": r.networks}
}
