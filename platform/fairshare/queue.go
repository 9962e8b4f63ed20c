package fairshare

import "time"

// allows reports whether the shares of the organisation and the actor leave room for the lease.
func (l *Limiter) allows(e *Lease) bool {
	o := e.organisation
	return l.allowsSlot(o) && o.actors[e.actor] < l.limits.MaxConcurrentPerActor &&
		inShare(o.bytes, e.bytes, l.bytes, l.limits.Bytes)
}

// allowsSlot reports whether the share of the organisation leaves a slot.
func (l *Limiter) allowsSlot(o *organisation) bool {
	return inShare(int64(o.slots), 1, int64(l.slots), int64(l.limits.MaxConcurrent))
}

// count adds to the slots of a named actor.
func (o *organisation) count(actor string, slots int) {
	if actor == "" {
		return
	}
	if o.actors == nil {
		o.actors = map[string]int{}
	}
	if o.actors[actor] += slots; o.actors[actor] == 0 {
		delete(o.actors, actor)
	}
}

// inShare reports whether an organisation that holds own of a limit may hold more: its first piece
// of work, or up to half of what the others leave free.
func inShare(own, more, held, limit int64) bool {
	return own == 0 || 2*(own+more) <= limit-(held-own)
}

// fits reports whether the limits leave room for the lease.
func (l *Limiter) fits(e *Lease) bool {
	return l.slots < l.limits.MaxConcurrent && l.bytes+e.bytes <= l.limits.Bytes &&
		(l.oversize == nil || !e.oversize())
}

func (l *Limiter) grant(e *Lease) {
	e.held = true
	e.hasSlot = true
	e.granted = time.Now()
	l.slots++
	l.bytes += e.bytes
	e.organisation.slots++
	e.organisation.bytes += e.bytes
	e.organisation.count(e.actor, 1)
	if e.oversize() {
		l.oversize = e
	}
}

// serve grants requests while there is room, the least recently served organisation first. It stops
// at the first that does not fit: otherwise small requests would starve a large one.
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
	if !l.allowsSlot(o) {
		return -1 // without a search of the queue, which may be long
	}
	for i, w := range o.queue {
		if l.allows(w.lease) {
			return i
		}
	}
	return -1
}

// drop removes a request from its organisation's queue.
func (l *Limiter) drop(o *organisation, i int) {
	o.queue = append(o.queue[:i], o.queue[i+1:]...)
	if len(o.queue) == 0 {
		l.turns.Remove(o.turn)
		o.queue = nil
		o.turn = nil
	}
}

// leaveQueue removes a request whose wait has ended. It returns false if the request was granted.
func (l *Limiter) leaveQueue(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := w.lease.organisation
	for i, other := range o.queue {
		if other == w {
			l.drop(o, i)
			l.forget(o)
			l.serve() // a request behind it may fit
			return true
		}
	}
	return false
}

// forget removes an organisation that neither holds nor waits.
func (l *Limiter) forget(o *organisation) {
	if o.slots == 0 && o.bytes == 0 && len(o.queue) == 0 && l.organisations[o.id] == o {
		delete(l.organisations, o.id)
	}
}
