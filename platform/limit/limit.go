package limit

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"dg/platform/apperr"
)

const (
	// Wait bounds how long work waits for its slots.
	Wait = 5 * time.Second
	// RetryAfter is the Retry-After of refused work, in seconds.
	RetryAfter = 5
)

// Options configure a Limiter.
type Options struct {
	Max            int    // slots of all keys together
	PerKey         int    // slots of one key, at most Max
	BusyMessage    string // the message of a refusal, followed by when to retry
	KeyBusyMessage string // the message if the key has no free slot; BusyMessage if empty

	PerSite int                     // slots of the keys of one site; 0 means no such limit
	SiteOf  func(key string) string // returns the key's site; needed with PerSite
}

// Limiter is a semaphore for each key, one for each site, and one for all keys together.
type Limiter struct {
	options Options
	total   *semaphore.Weighted

	mu         sync.Mutex
	semaphores map[semaphoreKey]*sharedSemaphore // semaphores of running or waiting work

	waiting, running    atomic.Int64
	refused, keyRefused atomic.Uint64
}

// semaphoreKey names the semaphore of a key or a site. The keys of Requests have a surface, too.
type semaphoreKey struct {
	name    string
	surface Surface
	isSite  bool
}

type sharedSemaphore struct {
	*semaphore.Weighted
	refs int // goroutines that hold or wait for a slot
}

// New returns a limiter whose slots are all free.
func New(o Options) *Limiter {
	return &Limiter{
		options:    o,
		total:      semaphore.NewWeighted(int64(o.Max)),
		semaphores: map[semaphoreKey]*sharedSemaphore{},
	}
}

// Acquire takes a slot of the key, one of its site and one of the limiter, and waits at most Wait
// for them. First it frees the slot of Requests that ctx carries (doc.go, Invariant). The caller
// must call release. Errors: apperr.Unavailable after Wait, or the cause of ctx (see failure).
func (l *Limiter) Acquire(ctx context.Context, key string) (release func(), err error) {
	return l.acquire(ctx, semaphoreKey{name: key}, 1)
}

// AcquireN is Acquire for work that takes n slots, or PerKey slots if n is larger. Later work does
// not overtake it, so that large work does not starve.
func (l *Limiter) AcquireN(ctx context.Context, key string, n int) (release func(), err error) {
	return l.acquire(ctx, semaphoreKey{name: key}, n)
}

func (l *Limiter) acquire(ctx context.Context, key semaphoreKey, n int) (release func(), err error) {
	if release, ok := ctx.Value(slotKey{}).(func()); ok {
		release()
	}
	slots := int64(min(n, l.options.PerKey))
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	waitCtx, cancel := context.WithTimeout(ctx, Wait)
	defer cancel()
	began := time.Now()
	releaseKey, ok := l.take(waitCtx, key, l.options.PerKey, slots)
	if !ok {
		return nil, l.failure(ctx, began, true)
	}
	releaseSite := func() {}
	if l.options.PerSite > 0 {
		site := semaphoreKey{name: l.options.SiteOf(key.name), isSite: true}
		releaseSite, ok = l.take(waitCtx, site, l.options.PerSite, slots)
	}
	if !ok || l.total.Acquire(waitCtx, slots) != nil {
		releaseSite()
		releaseKey()
		return nil, l.failure(ctx, began, false)
	}
	l.running.Add(1)
	return sync.OnceFunc(func() {
		l.running.Add(-1)
		l.total.Release(slots)
		releaseSite()
		releaseKey()
	}), nil
}

// take acquires slots of the semaphore of a key or site. ok is false if ctx ends first.
func (l *Limiter) take(
	ctx context.Context, key semaphoreKey, capacity int, slots int64,
) (release func(), ok bool) {
	s := l.enter(key, capacity)
	if s.Acquire(ctx, slots) != nil {
		l.leave(key, s)
		return func() {}, false
	}
	return func() {
		s.Release(slots)
		l.leave(key, s)
	}, true
}

func (l *Limiter) enter(key semaphoreKey, capacity int) *sharedSemaphore {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.semaphores[key]
	if s == nil {
		s = &sharedSemaphore{Weighted: semaphore.NewWeighted(int64(capacity))}
		l.semaphores[key] = s
	}
	s.refs++
	return s
}

func (l *Limiter) leave(key semaphoreKey, s *sharedSemaphore) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.refs--; s.refs == 0 {
		delete(l.semaphores, key)
	}
}

// failure returns the cause if ctx was cancelled, or if its deadline passed within a second of
// began. Otherwise the limiter was busy: failure counts a refusal and returns apperr.Unavailable.
func (l *Limiter) failure(ctx context.Context, began time.Time, keyIsBusy bool) error {
	err := context.Cause(ctx)
	if err != nil && (!errors.Is(err, context.DeadlineExceeded) || time.Since(began) < time.Second) {
		return err
	}
	l.refused.Add(1)
	message := l.options.BusyMessage
	if keyIsBusy {
		l.keyRefused.Add(1)
		message = cmp.Or(l.options.KeyBusyMessage, message)
	}
	e := apperr.New(apperr.Unavailable, "%s Retry in %d seconds.", message, RetryAfter)
	e.RetryAfter = RetryAfter
	return e
}

// Stats are the metrics of a limiter.
type Stats struct {
	Running, Waiting int64
	Refused          uint64 // refusals since the start
	KeyRefused       uint64 // how many of Refused had no free slot of their key
}

// Stats returns how much work runs and waits now, and how much was refused since the start.
func (l *Limiter) Stats() Stats {
	return Stats{l.running.Load(), l.waiting.Load(), l.refused.Load(), l.keyRefused.Load()}
}
