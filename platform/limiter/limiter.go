package limiter

import (
	"container/list"
	"context"
	"sync"
	"time"

	"dg/platform/apperr"
)

const (
	// Wait is how long a request waits for its turn at most.
	Wait = 5 * time.Second
	// RetryAfter is when a request that waited in vain should be repeated, in seconds.
	RetryAfter = 5
	// MaxWaiting is how many requests of one organisation wait at once: those of two keys at their full rate.
	MaxWaiting = 240
)

// Limits say how much may run at once: places by count, and bytes of memory.
type Limits struct {
	Places, OrganisationPlaces int
	ActorPlaces                int // for one key or person; 0: as many as its organisation
	// Bytes and OrganisationBytes bound the memory that requests estimate. 0: only places count.
	Bytes, OrganisationBytes int64
	Busy                     string // what to tell a caller who waited in vain; when to retry is added
}

// Request is what somebody wants to run.
type Request struct {
	OrganisationID string
	ActorID        string // the key or person; may be empty where ActorPlaces is 0
	// Bytes is the memory that the work is expected to hold. More than an organisation's share counts as the share: such
	// work runs when the organisation runs nothing else.
	Bytes int64
	// Waited is how much of Wait the work has used up already, where it is admitted for the second time.
	Waited time.Duration
}

// Limiter admits work.
type Limiter struct {
	limits Limits

	mu            sync.Mutex
	places        int
	bytes         int64
	organisations map[string]*organisation // that hold or wait for something
	turns         *list.List               // of *organisation: those that wait, whose turn is next first
}

// organisation is what one organisation holds and waits for.
type organisation struct {
	id     string
	places int
	bytes  int64
	actors map[string]int
	queue  []*waiter
	turn   *list.Element // nil: nothing waits
}

type waiter struct {
	lease *Lease
	ready chan struct{} // closed when the lease is granted
}

// New returns a limiter.
func New(l Limits) *Limiter {
	if l.ActorPlaces == 0 {
		l.ActorPlaces = l.OrganisationPlaces
	}
	return &Limiter{limits: l, organisations: map[string]*organisation{}, turns: list.New()}
}

// Acquire returns a lease of a place and of the request's bytes, at once where there is room, or when its turn has come. The
// caller releases it. Errors: ErrUnavailable with RetryAfter after Wait or when too many wait, and the cause of ctx when it
// ends.
func (l *Limiter) Acquire(ctx context.Context, r Request) (*Lease, error) {
	lease, w, err := l.enqueue(r)
	if w == nil {
		return lease, err
	}
	patience := time.NewTimer(Wait - r.Waited)
	defer patience.Stop()
	select {
	case <-w.ready:
		return w.lease, nil
	case <-patience.C:
		err = l.busy()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if l.leaveQueue(w) {
		return nil, err
	}
	return w.lease, nil // its turn came in the same moment
}

// enqueue returns a lease where there is room and nobody waits, and a waiter otherwise.
func (l *Limiter) enqueue(r Request) (*Lease, *waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.organisations[r.OrganisationID]
	if o == nil {
		o = &organisation{id: r.OrganisationID, actors: map[string]int{}}
		l.organisations[o.id] = o
	}
	lease := &Lease{limiter: l, organisation: o, actor: r.ActorID, bytes: l.counted(r.Bytes)}
	if l.turns.Len() == 0 && l.allows(lease) && l.fits(lease) {
		l.grant(lease)
		return lease, nil, nil
	}
	if len(o.queue) >= MaxWaiting {
		return nil, nil, l.busy()
	}
	w := &waiter{lease: lease, ready: make(chan struct{})}
	o.queue = append(o.queue, w)
	if o.turn == nil {
		o.turn = l.turns.PushBack(o)
	}
	l.serve()
	return nil, w, nil
}

// counted is how many bytes a request counts for.
func (l *Limiter) counted(bytes int64) int64 {
	if l.limits.Bytes == 0 {
		return 0
	}
	return min(bytes, l.limits.OrganisationBytes)
}

func (l *Limiter) busy() error {
	e := apperr.New(apperr.Unavailable, "%s Retry in %d seconds.", l.limits.Busy, RetryAfter)
	e.RetryAfter = RetryAfter
	return e
}
