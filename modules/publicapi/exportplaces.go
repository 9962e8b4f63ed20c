package publicapi

import (
	"sync"

	"dg/platform/apperr"
)

// How many exports one instance runs at once: in all, which is also the size of the pool that they read through, and for one
// key, so that no key keeps the others out.
const (
	MaxExports       = 8
	maxExportsOfAKey = 4
)

// exportPlaces counts the running exports of this instance.
type exportPlaces struct {
	mu    sync.Mutex
	all   int
	byKey map[string]int
}

func newExportPlaces() *exportPlaces { return &exportPlaces{byKey: map[string]int{}} }

// take takes a place for the key; leave gives it back, once. Errors: ErrUnavailable with RetryAfter.
func (p *exportPlaces) take(keyID string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= MaxExports || p.byKey[keyID] >= maxExportsOfAKey {
		busy := apperr.New(apperr.Unavailable, "Too many exports are running. Let one finish, then try again.")
		busy.RetryAfter = 5
		return nil, busy
	}
	p.all++
	p.byKey[keyID]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.byKey[keyID]--; p.byKey[keyID] == 0 {
			delete(p.byKey, keyID)
		}
	}), nil
}
