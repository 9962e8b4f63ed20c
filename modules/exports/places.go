package exports

import (
	"sync"

	"dg/platform/apperr"
)

// How many exports one instance runs at once: in all, which is also the size of the pool that they read through, and for one
// key or person, so that nobody keeps the others out.
const (
	MaxAtOnce        = 8
	maxAtOnceOfActor = 4
)

// places counts the running exports of this instance.
type places struct {
	mu      sync.Mutex
	all     int
	byActor map[string]int
}

func newPlaces() *places { return &places{byActor: map[string]int{}} }

// take takes a place for the actor; leave gives it back, once. Errors: ErrUnavailable with RetryAfter.
func (p *places) take(actorID string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= MaxAtOnce || p.byActor[actorID] >= maxAtOnceOfActor {
		busy := apperr.New(apperr.Unavailable, "Too many exports are running. Let one finish, then try again.")
		busy.RetryAfter = 5
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
