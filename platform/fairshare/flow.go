package fairshare

import (
	"context"
	"hash/maphash"
	"sync"
)

type flowKey struct{}

// Flow is the queue that a request waits in. The zero value is the program's own work.
type Flow struct {
	// an organisation's id, the name of other bounded work, or a network's address
	ID      string
	Network bool // the request has no credential that was accepted before
}

// WithTenant returns the context of a request of an organisation, or of other work that is bounded.
func WithTenant(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, flowKey{}, Flow{ID: tenant})
}

// WithNetwork returns the context of a request without a known credential.
func WithNetwork(ctx context.Context, network string) context.Context {
	return context.WithValue(ctx, flowKey{}, Flow{ID: network, Network: true})
}

// FlowOf returns the flow of a request.
func FlowOf(ctx context.Context) Flow {
	flow, _ := ctx.Value(flowKey{}).(Flow)
	return flow
}

// MaxTenantHints bounds what TenantHints remembers: at most 2 MB.
const MaxTenantHints = 10_000

// TenantHints remembers the organisation of each accepted credential by a seeded hash, so that a
// request queues with it before authentication. A hint authorises nothing: the credential may be
// revoked.
type TenantHints struct {
	seed          maphash.Seed
	mu            sync.RWMutex
	organisations map[uint64]string
}

// NewTenantHints returns hints without a credential.
func NewTenantHints() *TenantHints {
	return &TenantHints{seed: maphash.MakeSeed(), organisations: map[uint64]string{}}
}

// Organisation returns the organisation of a credential, or "".
func (h *TenantHints) Organisation(credential string) string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.organisations[maphash.String(h.seed, credential)]
}

// Accept remembers the organisation of an accepted credential. At the limit it evicts a random one.
func (h *TenantHints) Accept(credential, organisation string) {
	if h.Organisation(credential) == organisation {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.organisations) >= MaxTenantHints {
		for other := range h.organisations {
			delete(h.organisations, other)
			break
		}
	}
	h.organisations[maphash.String(h.seed, credential)] = organisation
}
