package limit

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// patience is how long a waiter lets later ones pass that need fewer slots.
const patience = time.Second

// semaphore grants slots to the first waiter for which enough are free. A waiter of patience is no
// longer passed, so that a large one does not starve.
type semaphore struct {
	mu      sync.Mutex
	free    int64
	waiters list.List // of *waiter, oldest first
}

type waiter struct {
	slots   int64
	since   time.Time
	granted chan struct{} // closed when the slots are granted
}

// acquire waits for n slots. It returns the error of ctx if ctx ends first.
func (s *semaphore) acquire(ctx context.Context, n int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &waiter{n, time.Now(), make(chan struct{})}
	s.mu.Lock()
	at := s.waiters.PushBack(w)
	s.grant()
	s.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-w.granted: // while ctx ended
		return nil
	default:
	}
	s.waiters.Remove(at)
	s.grant() // those behind it may fit
	return ctx.Err()
}

func (s *semaphore) release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n
	s.grant()
}

// grant requires mu.
func (s *semaphore) grant() {
	for at := s.waiters.Front(); at != nil; {
		next := at.Next()
		w := at.Value.(*waiter)
		switch {
		case w.slots <= s.free:
			s.free -= w.slots
			s.waiters.Remove(at)
			close(w.granted)
		case time.Since(w.since) >= patience:
			return
		}
		at = next
	}
}
