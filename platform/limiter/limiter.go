// Package limiter admits expensive work by organisation: so much runs at once, so much for one organisation, and whoever
// comes later waits for its turn.
//
// Invariants:
//   - No organisation holds more than its share, whether others ask or not. With shares of at most a half, what one
//     organisation runs never closes the door to another.
//   - Organisations that wait are served in turn, one request each; requests of one organisation in the order in which they
//     came. A request behind which only its own organisation's share stands holds up nobody else.
//   - Nobody waits for more than Wait, and no organisation has more than MaxWaiting requests in the queue. The queue as a
//     whole is bounded by the connections of the server: each request that waits holds one.
//   - What was acquired is released once, however often Release is called. An organisation is forgotten when it holds
//     nothing and waits for nothing.
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
	patience := time.NewTimer(Wait)
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

// allows says whether the shares of the organisation and the actor leave room for the lease.
func (l *Limiter) allows(e *Lease) bool {
	o := e.organisation
	return o.places < l.limits.OrganisationPlaces && o.actors[e.actor] < l.limits.ActorPlaces &&
		(l.limits.Bytes == 0 || o.bytes+e.bytes <= l.limits.OrganisationBytes)
}

// fits says whether there is room for the lease in all.
func (l *Limiter) fits(e *Lease) bool {
	return l.places < l.limits.Places && (l.limits.Bytes == 0 || l.bytes+e.bytes <= l.limits.Bytes)
}

func (l *Limiter) grant(e *Lease) {
	e.held, e.placed = true, true
	l.places++
	l.bytes += e.bytes
	e.organisation.places++
	e.organisation.bytes += e.bytes
	e.organisation.actors[e.actor]++
}

// serve grants what there is room for, to the organisations in turn. Where the next in turn waits for room that others hold,
// nobody overtakes it, or small requests would keep a large one waiting for ever.
func (l *Limiter) serve() {
	for e := l.turns.Front(); e != nil; {
		o := e.Value.(*organisation)
		i := o.next(l)
		if i < 0 {
			e = e.Next()
			continue
		}
		w := o.queue[i]
		if !l.fits(w.lease) {
			return
		}
		l.grant(w.lease)
		close(w.ready)
		l.turns.MoveToBack(o.turn)
		l.drop(o, i)
		e = l.turns.Front()
	}
}

// next returns the first of the organisation's requests that its shares allow, or -1.
func (o *organisation) next(l *Limiter) int {
	if o.places >= l.limits.OrganisationPlaces {
		return -1
	}
	for i, w := range o.queue {
		if l.allows(w.lease) {
			return i
		}
	}
	return -1
}

// drop takes a request out of its organisation's queue.
func (l *Limiter) drop(o *organisation, i int) {
	o.queue = append(o.queue[:i], o.queue[i+1:]...)
	if len(o.queue) == 0 {
		l.turns.Remove(o.turn)
		o.queue, o.turn = nil, nil
	}
}

// leaveQueue takes a request out that waits no longer. It returns false when the request was granted meanwhile.
func (l *Limiter) leaveQueue(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := w.lease.organisation
	for i, other := range o.queue {
		if other == w {
			l.drop(o, i)
			l.forget(o)
			l.serve() // what stood behind it may fit
			return true
		}
	}
	return false
}

// forget forgets an organisation that neither holds nor waits.
func (l *Limiter) forget(o *organisation) {
	if o.places == 0 && o.bytes == 0 && len(o.queue) == 0 && l.organisations[o.id] == o {
		delete(l.organisations, o.id)
	}
}

func (l *Limiter) busy() error {
	e := apperr.New(apperr.Unavailable, "%s Retry in %d seconds.", l.limits.Busy, RetryAfter)
	e.RetryAfter = RetryAfter
	return e
}
