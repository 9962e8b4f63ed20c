package limit

import (
	"context"
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"

	"dg/platform/netaddr"
)

// Requests bounds the requests that use a pool: one tenant's burst cannot take all connections.
// A tenant is an organisation, or a person without one.
type Requests struct {
	tenants, networks, public *Limiter
	// tenantOf maps a credential's hash to its tenant. It may be outdated: it authorises nothing.
	tenantOf *lru.Cache[uint64, string]
	seed     maphash.Seed
}

const maxTenants = 10_000 // bounds the memory of tenantOf

// Surface is a part of the program. Each has its own limit per tenant: a flood of API requests
// does not keep an owner from revoking the key.
type Surface string

// Each screen and each API request belongs to one surface.
const (
	API     Surface = "api"
	Screens Surface = "screens"
	Revoke  Surface = "revoke" // the screen that revokes a leaked key
	// Public pages need no database for a request without a credential. Such requests have slots of
	// their own: they do not delay unknown credentials, and do not wait for a silent database.
	Public Surface = "public"
)

const (
	minUnknown = 3 // slots of unknown credentials; a /48 may take all but one
	maxPublic  = 4 // concurrent public pages; a /48 may take all but one
)

// NewRequests reserves a tenth of the slots for unknown credentials, at least three, with one per
// network: a flood of invalid credentials delays only itself. On each surface a tenant has at most
// a third of the remaining slots.
func NewRequests(connections int) *Requests {
	const busyMessage = "Too many requests are waiting."
	unknownSlots := max(minUnknown, connections/10)
	tenantSlots := max(1, connections-unknownSlots)
	tenantOf, err := lru.New[uint64, string](maxTenants)
	if err != nil {
		panic(err) // fails only for a size below 1
	}
	newNetworkLimiter := func(n int) *Limiter {
		return New(Options{Max: n, PerKey: 1, PerSite: n - 1, SiteOf: netaddr.SiteText,
			BusyMessage: busyMessage})
	}
	return &Requests{
		tenants:  New(Options{Max: tenantSlots, PerKey: max(1, tenantSlots/3), BusyMessage: busyMessage}),
		networks: newNetworkLimiter(unknownSlots),
		public:   newNetworkLimiter(maxPublic),
		tenantOf: tenantOf,
		seed:     maphash.MakeSeed(),
	}
}

// slotKey is the context key of a func() that frees the slot.
type slotKey struct{}

// Run runs work in a slot of the credential's tenant, or of the client's network if the credential
// is unknown or empty. The context of work carries the slot, which the next limiter frees. Errors:
// those of Limiter.Acquire and of work.
func (r *Requests) Run(
	ctx context.Context, surface Surface, credential, network string, work func(context.Context) error,
) error {
	limiter, key := r.networks, semaphoreKey{name: network}
	tenant, known := r.tenantOf.Get(maphash.String(r.seed, credential))
	switch {
	case known:
		limiter, key = r.tenants, semaphoreKey{name: tenant, surface: surface}
	case surface == Public && credential == "":
		limiter = r.public
	}
	release, err := limiter.acquire(ctx, key, 1)
	if err != nil {
		return err
	}
	defer release()
	return work(context.WithValue(ctx, slotKey{}, release))
}

// Remember stores the tenant of a valid credential, for Run.
func (r *Requests) Remember(credential, tenant string) {
	r.tenantOf.Add(maphash.String(r.seed, credential), tenant)
}

// Limiters returns the limiters, keyed by their names in metrics.
func (r *Requests) Limiters() map[string]*Limiter {
	return map[string]*Limiter{
		"requests": r.tenants, "unknown_requests": r.networks, "public_pages": r.public,
	}
}
