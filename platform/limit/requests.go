package limit

import (
	"context"
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"

	"dg/platform/netaddr"
)

// Requests bounds the requests that use a pool: one tenant's burst cannot take all connections.
type Requests struct {
	tenants, networks, public *Limiter
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
	API     = "api"
	Screens = "screens"
	Revoke  = "revoke" // the screen that revokes a leaked key
	// Public pages need no database without a credential. Then their requests wait apart, so that
	// they neither delay unknown credentials nor wait for a database that does not answer.
	Public = "public"
)

const (
	minUnknown = 3 // slots of unknown credentials, of which a /48 has all but one
	maxPublic  = 4 // concurrent public pages, of which a /48 has all but one
)

// NewRequests reserves a tenth of the slots for unknown credentials, at least three, with one per
// network: a flood of invalid credentials delays only itself. On each surface an organisation has
// at most a third of the remaining slots.
func NewRequests(connections int) *Requests {
	const busy = "Too many requests are waiting."
	unknown := max(minUnknown, connections/10)
	slots := max(1, connections-unknown)
	known, err := lru.New[uint64, string](maxKnown)
	if err != nil {
		panic(err) // only a size below 1 fails
	}
	anonymous := func(most int) *Limiter {
		return New(Options{Max: most, PerKey: 1, PerSite: most - 1, SiteOf: netaddr.SiteText,
			BusyMessage: busy})
	}
	return &Requests{
		tenants:  New(Options{Max: slots, PerKey: max(1, slots/3), BusyMessage: busy}),
		networks: anonymous(unknown),
		public:   anonymous(maxPublic),
		known:    known,
		seed:     maphash.MakeSeed(),
	}
}

// slotKey is the key of a context's slot, a func() that frees it.
type slotKey struct{}

// Acquire takes a slot of the credential's organisation, or of the network if the credential is
// unknown. The returned context carries the slot, which the next limiter frees. The caller must
// call release. Acquire returns the errors of Limiter.Acquire.
func (r *Requests) Acquire(
	ctx context.Context, surface, credential, network string,
) (with context.Context, release func(), err error) {
	limiter, key := r.networks, network
	organisation, known := r.known.Get(maphash.String(r.seed, credential))
	switch {
	case known:
		limiter = r.tenants
		key = surface + " " + organisation
	case surface == Public && credential == "":
		limiter = r.public
	}
	if release, err = limiter.Acquire(ctx, key); err != nil {
		return ctx, nil, err
	}
	return context.WithValue(ctx, slotKey{}, release), release, nil
}

// Remember stores whose a valid credential is, an organisation or a person, for Acquire.
func (r *Requests) Remember(credential, whose string) {
	r.known.Add(maphash.String(r.seed, credential), whose)
}

// Limiters returns the limiters by the value of their label in metrics.
func (r *Requests) Limiters() map[string]*Limiter {
	return map[string]*Limiter{
		"requests": r.tenants, "unknown_requests": r.networks, "public_pages": r.public,
	}
}
