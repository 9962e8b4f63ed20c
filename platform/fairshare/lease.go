package fairshare

import "time"

// Lease is what a piece of work holds of a limiter. Nil holds nothing.
type Lease struct {
	limiter       *Limiter
	organisation  *organisation
	actor         string
	bytes         int64 // as counted
	estimate      int64 // may be more than is counted
	held, hasSlot bool  // whether it holds anything, and whether a slot
	granted       time.Time
}

// Grow adds bytes to what the work holds, without waiting. Errors: apperr.Unavailable with
// RetryAfter when there is no room.
func (e *Lease) Grow(bytes int64) error {
	if e == nil {
		return nil
	}
	l := e.limiter
	o := e.organisation
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.held {
		return nil
	}
	grown := &Lease{
		limiter:      l,
		organisation: o,
		estimate:     e.estimate + bytes,
		bytes:        l.counted(e.estimate + bytes),
	}
	others := l.bytes - e.bytes
	if others+grown.bytes > l.limits.Bytes ||
		!inShare(o.bytes-e.bytes, grown.bytes, others, l.limits.Bytes) ||
		grown.oversize() && l.oversize != nil && l.oversize != e {
		return l.refuse(OfInstance)
	}
	e.resize(grown.estimate)
	return nil
}

// oversize reports whether the lease is for more than is counted.
func (e *Lease) oversize() bool { return e.estimate > e.bytes && e.limiter.limits.Bytes > 0 }

// resize changes what the lease holds.
func (e *Lease) resize(estimate int64) {
	l := e.limiter
	counted := e.limiter.counted(estimate)
	l.bytes += counted - e.bytes
	e.organisation.bytes += counted - e.bytes
	e.bytes = counted
	e.estimate = estimate
	if e.oversize() {
		l.oversize = e
	} else if l.oversize == e {
		l.oversize = nil
	}
}

// Keep releases the slot and holds that many bytes: the work is done, and its result is being sent.
func (e *Lease) Keep(bytes int64) { e.keep(bytes, true) }

// Release gives back the slot and the bytes. With Limits.Rest it does so after a pause as long as
// the work, at most maxRest. It is idempotent.
func (e *Lease) Release() {
	if e != nil && e.limiter.limits.Rest {
		time.AfterFunc(min(time.Since(e.granted), maxRest), func() { e.keep(0, false) })
		return
	}
	e.keep(0, false)
}

func (e *Lease) keep(bytes int64, held bool) {
	if e == nil {
		return
	}
	l := e.limiter
	o := e.organisation
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.held {
		return
	}
	e.resize(bytes)
	e.held = held && e.bytes > 0
	if e.hasSlot {
		e.hasSlot = false
		l.slots--
		o.slots--
		o.count(e.actor, -1)
		if o.turn != nil { // it was just served: waiting organisations come first
			l.turns.MoveToBack(o.turn)
		}
	}
	l.forget(o)
	l.serve()
}
