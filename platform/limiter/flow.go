package limiter

import (
	"context"
	"hash/maphash"
	"sync"
)

type flowKey struct{}

// WithFlow returns the context of a request of that flow: of an organisation or, until the organisation is known, of a network.
// Flows take turns.
func WithFlow(ctx context.Context, flow string) context.Context {
	return context.WithValue(ctx, flowKey{}, flow)
}

// FlowOf returns the flow of a request, "" where none was set: the program's own work.
func FlowOf(ctx context.Context) string {
	flow, _ := ctx.Value(flowKey{}).(string)
	return flow
}

// MaxKnown bounds what Known remembers: at most 2 MB.
const MaxKnown = 10_000

// Known remembers the organisation of credentials that were accepted, so that a request waits among those of its organisation
// even before it is authenticated, and a flood of wrong credentials is nobody's. It decides nothing else: what it remembers may
// be revoked. It holds no credential, only a hash with a random seed.
type Known struct {
	seed          maphash.Seed
	mu            sync.RWMutex
	organisations map[uint64]string
}

// NewKnown returns one that remembers nothing.
func NewKnown() *Known { return &Known{seed: maphash.MakeSeed(), organisations: map[uint64]string{}} }

// Organisation returns that of a credential, or "".
func (k *Known) Organisation(credential string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.organisations[maphash.String(k.seed, credential)]
}

// Accept remembers the organisation of an accepted credential, in place of any other one when there are too many.
func (k *Known) Accept(credential, organisation string) {
	if k.Organisation(credential) == organisation {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.organisations) >= MaxKnown {
		for other := range k.organisations {
			delete(k.organisations, other)
			break
		}
	}
	k.organisations[maphash.String(k.seed, credential)] = organisation
}
