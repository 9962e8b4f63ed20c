package limit

import (
	"context"
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Requests bounds requests for a pool, so that one tenant's burst does not take all connections.
type Requests struct {
	tenants, networks *Limiter
	// known maps a credential's hash to its organisation. Entries may be outdated: they authorise
	// nothing.
	known *lru.Cache[uint64, string]
	seed  maphash.Seed
}

// maxKnown bounds the memory of known credentials.
const maxKnown = 10_000

// Surfaces have shares of their own: a flood of API requests does not keep an owner from revoking
// the key.
const (
	API     = "api "
	Screens = "screens "
	Revoke  = "revoke " // the screen that revokes a leaked key
)

// NewRequests reserves a tenth of the slots for unknown credentials, one for each network: a flood
// of invalid credentials waits behind itself. An organisation has at most a third of the rest on
// each surface.
func NewRequests(connections int) *Requests {
	const busy = "Too many requests are waiting."
	unknown := max(1, connections/10)
	slots := max(1, connections-unknown)
	known, err := lru.New[uint64, string](maxKnown)
	if err != nil {
		panic(err) // only a size below 1 fails
	}
	return &Requests{
		tenants:  New(Options{Max: slots, PerKey: max(1, slots/3), Busy: busy}),
		networks: New(Options{Max: unknown, PerKey: 1, Busy: busy}),
		known:    known,
		seed:     maphash.MakeSeed(),
	}
}

// Acquire takes a slot of the credential's organisation, or of the network if the credential is
// not known. The caller must call release. Errors: those of Limiter.Acquire.
func (r *Requests) Acquire(
	ctx context.Context, surface, credential, network string,
) (release func(), err error) {
	if organisation, ok := r.known.Get(maphash.String(r.seed, credential)); ok {
		return r.tenants.Acquire(ctx, surface+organisation)
	}
	return r.networks.Acquire(ctx, network)
}

// Accept remembers the organisation of an accepted credential for later requests.
func (r *Requests) Accept(credential, organisation string) {
	r.known.Add(maphash.String(r.seed, credential), organisation)
}

// Limiters returns the limiters by the name of the work, for metrics.
func (r *Requests) Limiters() map[string]*Limiter {
	return map[string]*Limiter{"requests": r.tenants, "unknown_requests": r.networks}
}
