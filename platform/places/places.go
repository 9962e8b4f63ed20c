// Package places bounds how many long answers an instance gives at once: in all, and to one actor, so that nobody keeps the
// others out.
package places

import (
	"sync"

	"dg/platform/apperr"
)

// retryAfter is what who finds no place is told to wait, in seconds.
const retryAfter = 5

// Places counts what runs.
type Places struct {
	max, maxOfActor int
	busy            string

	mu      sync.Mutex
	all     int
	byActor map[string]int
}

// New returns so many places, so many of them for one actor; busy is the sentence for who finds none.
func New(all, ofActor int, busy string) *Places {
	return &Places{max: all, maxOfActor: ofActor, busy: busy, byActor: map[string]int{}}
}

// Take takes a place for the actor; leave gives it back, once. Errors: ErrUnavailable with RetryAfter.
func (p *Places) Take(actorID string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= p.max || p.byActor[actorID] >= p.maxOfActor {
		busy := apperr.New(apperr.Unavailable, "%s", p.busy)
		busy.RetryAfter = retryAfter
		return nil, busy
	}
	p.all++
	p.byActor[actorID]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.byActor[actorID]--; p.byActor[actorID] == 0 {
			delete(p.byActor, actorID)
		}
	}), nil
}
