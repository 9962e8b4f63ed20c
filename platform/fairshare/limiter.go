package fairshare

import (
	"cmp"
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dg/platform/apperr"
)

const (
	// Wait is how long a request waits for its turn at most.
	Wait = 5 * time.Second
	// RetryAfter is the Retry-After of a refusal, in seconds.
	RetryAfter = 5
	// MaxWaiting is the default bound of an organisation's queue: two keys at their full rate.
	MaxWaiting = 240
)

// maxRest bounds the rest of a slot. Work that takes longer waits for a lock and uses no processor.
const maxRest = 100 * time.Millisecond

// Limits say how much may run at once.
type Limits struct {
	MaxConcurrent         int
	MaxConcurrentPerActor int   // for one key or person; 0: as many as its organisation
	Bytes                 int64 // estimated memory of requests; 0: unlimited
	Waiting               int   // requests of one organisation in the queue; 0: MaxWaiting
	// a released slot stays empty as long as it was held, at most maxRest
	Rest bool
	// the message of a request that waited in vain; Retry-After is added
	BusyMessage string
}

// Request is a piece of work.
type Request struct {
	OrganisationID string
	ActorID        string // the key or person; may be empty when MaxConcurrentPerActor is 0
	// Bytes is the memory that the work is expected to hold. More than half of Limits.Bytes counts
	// as that, and such work runs one at a time.
	Bytes int64
	// Waited is the part of Wait that work has used up when it is admitted a second time.
	Waited time.Duration
}

// Limiter admits work.
type Limiter struct {
	limits  Limits
	refused atomic.Uint64

	mu            sync.Mutex
	slots         int
	bytes         int64
	oversize      *Lease                   // the one for more than half of the bytes
	organisations map[string]*organisation // that hold or wait for something
	// of *organisation: those with waiting requests, next to be served first
	turns *list.List
}

// organisation is what one organisation holds and waits for.
type organisation struct {
	id     string
	slots  int
	bytes  int64
	actors map[string]int // slots of each named actor
	queue  []*waiter
	turn   *list.Element // nil: nothing waits
}

type waiter struct {
	lease *Lease
	ready chan struct{} // closed when the lease is granted
}

// New returns a limiter.
func New(l Limits) *Limiter {
	if l.MaxConcurrentPerActor == 0 {
		l.MaxConcurrentPerActor = l.MaxConcurrent
	}
	l.Waiting = cmp.Or(l.Waiting, MaxWaiting)
	return &Limiter{limits: l, organisations: map[string]*organisation{}, turns: list.New()}
}

// Acquire waits for the request's turn and returns a lease of a slot and its bytes. The caller
// releases it. Errors: apperr.Unavailable with RetryAfter and a BoundError after Wait or with a
// full queue, and the cause of ctx when it ends.
func (l *Limiter) Acquire(ctx context.Context, r Request) (*Lease, error) {
	lease, w, err := l.enqueue(r)
	if w == nil {
		return lease, err
	}
	timeout := time.NewTimer(Wait - r.Waited)
	defer timeout.Stop()
	select {
	case <-w.ready:
		return w.lease, nil
	case <-timeout.C:
	case <-ctx.Done():
	}
	if !l.leaveQueue(w) {
		return w.lease, nil // granted in the same moment
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, l.refuse(l.boundOf(w.lease))
}

// enqueue returns a lease if there is room and the queue is empty, otherwise a waiter.
func (l *Limiter) enqueue(r Request) (*Lease, *waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.organisations[r.OrganisationID]
	if o == nil {
		o = &organisation{id: r.OrganisationID}
		l.organisations[o.id] = o
	}
	lease := &Lease{
		limiter:      l,
		organisation: o,
		actor:        r.ActorID,
		bytes:        l.counted(r.Bytes),
		estimate:     r.Bytes,
	}
	if l.turns.Len() == 0 && l.allows(lease) && l.fits(lease) {
		l.grant(lease)
		return lease, nil, nil
	}
	if len(o.queue) >= l.limits.Waiting {
		return nil, nil, l.refuse(OfOrganisation)
	}
	w := &waiter{lease: lease, ready: make(chan struct{})}
	o.queue = append(o.queue, w)
	if o.turn == nil {
		o.turn = l.turns.PushBack(o)
	}
	l.serve()
	return nil, w, nil
}

// counted is how many bytes a request counts for: none where only slots count.
func (l *Limiter) counted(bytes int64) int64 { return min(bytes, l.limits.Bytes/2) }

// refuse counts a refusal and returns its error, whose cause is the BoundError.
func (l *Limiter) refuse(by Bound) error {
	l.refused.Add(1)
	e := apperr.Wrap(apperr.Unavailable, &BoundError{by}, "%s Retry in %d seconds.",
		l.limits.BusyMessage, RetryAfter)
	e.RetryAfter = RetryAfter
	return e
}
