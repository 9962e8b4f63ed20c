package limiter

// Lease is what a piece of work holds of a limiter. Nil holds nothing.
type Lease struct {
	limiter      *Limiter
	organisation *organisation
	actor        string
	bytes        int64
	held, placed bool // whether anything is held, and whether a place is
}

// Keep gives the place back and holds that many bytes from here on: the work is done, and its result is being sent.
func (e *Lease) Keep(bytes int64) { e.keep(bytes, true) }

// Release gives everything back. It may be called again.
func (e *Lease) Release() { e.keep(0, false) }

func (e *Lease) keep(bytes int64, held bool) {
	if e == nil {
		return
	}
	l, o := e.limiter, e.organisation
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.held {
		return
	}
	bytes = l.counted(bytes)
	l.bytes += bytes - e.bytes
	o.bytes += bytes - e.bytes
	e.bytes, e.held = bytes, held && bytes > 0
	if e.placed {
		e.placed = false
		l.places--
		o.places--
		if o.actors[e.actor]--; o.actors[e.actor] == 0 {
			delete(o.actors, e.actor)
		}
	}
	l.forget(o)
	l.serve()
}
