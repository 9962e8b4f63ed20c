package limit

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"dg/platform/apperr"
)

const (
	// Wait bounds how long work waits for its slots.
	Wait = 5 * time.Second
	// RetryAfter is how many seconds refused work should wait before it tries again.
	RetryAfter = 5
)

// Options configure a Limiter.
type Options struct {
	Max            int    // slots in all
	PerKey         int    // slots of one key, at most Max
	BusyMessage    string // the message of a refusal, to which the time to retry is added
	KeyBusyMessage string // the message if the key has no free slot; "": BusyMessage
}

// Limiter is a semaphore for each key, and one for all keys together.
type Limiter struct {
	o   Options
	all *semaphore.Weighted

	mu   sync.Mutex
	keys map[string]*key // those with work that runs or waits

	waiting, running atomic.Int64
	refused          atomic.Uint64
}

type key struct {
	slots *semaphore.Weighted
	refs  int // pieces of work that run or wait
}

// New returns a limiter.
func New(o Options) *Limiter {
	return &Limiter{o: o, all: semaphore.NewWeighted(int64(o.Max)), keys: map[string]*key{}}
}

// Acquire takes a slot of the key and one of the limiter, and waits at most Wait for them. The
// caller must call release. Acquire returns apperr.Unavailable after Wait, or the cause of ctx.
func (l *Limiter) Acquire(ctx context.Context, id string) (release func(), err error) {
	return l.AcquireN(ctx, id, 1)
}

// AcquireN is Acquire for work that takes n slots, or PerKey slots if n is larger.
func (l *Limiter) AcquireN(ctx context.Context, id string, n int) (release func(), err error) {
	slots := int64(min(n, l.o.PerKey))
	k := l.enter(id)
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	waiting, stop := context.WithTimeout(ctx, Wait)
	defer stop()
	if k.slots.Acquire(waiting, slots) != nil {
		l.leave(id, k)
		return nil, l.failure(ctx, cmp.Or(l.o.KeyBusyMessage, l.o.BusyMessage))
	}
	if l.all.Acquire(waiting, slots) != nil {
		k.slots.Release(slots)
		l.leave(id, k)
		return nil, l.failure(ctx, l.o.BusyMessage)
	}
	l.running.Add(1)
	return sync.OnceFunc(func() {
		l.running.Add(-1)
		l.all.Release(slots)
		k.slots.Release(slots)
		l.leave(id, k)
	}), nil
}

func (l *Limiter) enter(id string) *key {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.keys[id]
	if k == nil {
		k = &key{slots: semaphore.NewWeighted(int64(l.o.PerKey))}
		l.keys[id] = k
	}
	k.refs++
	return k
}

func (l *Limiter) leave(id string, k *key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.refs--; k.refs == 0 {
		delete(l.keys, id)
	}
}

func (l *Limiter) failure(ctx context.Context, busy string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.refused.Add(1)
	e := apperr.New(apperr.Unavailable, "%s Retry in %d seconds.", busy, RetryAfter)
	e.RetryAfter = RetryAfter
	return e
}

// Stats are a limiter's figures for metrics.
type Stats struct {
	Running, Waiting int64
	Refused          uint64 // since the start
}

// Stats returns how much work runs and waits now, and how much was refused since the start.
func (l *Limiter) Stats() Stats {
	return Stats{l.running.Load(), l.waiting.Load(), l.refused.Load()}
}
