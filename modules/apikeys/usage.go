package apikeys

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"dg/platform/postgres"
)

// UsageDays is the retention of a key's usage in UTC days, today included.
const UsageDays = 30

// Usage counts the requests of a key on a UTC day. Refused ones are in the audit log. Limited ones
// exceeded the rate limit. Accepted ones are all others, also if they failed.
type Usage struct {
	Day                        time.Time
	Accepted, Refused, Limited int64
}

// maxCounted bounds memory: counts of further pairs of key and day are dropped.
const maxCounted = 20_000

// Uses counts the requests of keys by day, in memory until Store.
type Uses struct {
	db  *postgres.DB
	now func() time.Time

	mu sync.Mutex
	of map[countKey]counts
}

type countKey struct {
	organisationID, keyID string
	day                   int // since 1970, in UTC
}

type counts struct{ accepted, refused, limited int64 }

func (u *Uses) add(key countKey, n counts) {
	u.mu.Lock()
	defer u.mu.Unlock()
	of, known := u.of[key]
	if !known && len(u.of) >= maxCounted {
		return
	}
	if u.of == nil {
		u.of = map[countKey]counts{}
	}
	of.accepted += n.accepted
	of.refused += n.refused
	of.limited += n.limited
	u.of[key] = of
}

// drain returns the counts and resets them.
func (u *Uses) drain() map[countKey]counts {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.of
	u.of = nil
	return taken
}

// count counts a request of the caller, and returns the day for a later correction.
func (u *Uses) count(of Caller, n counts) (day int) {
	day = int(u.now().Unix() / (24 * 60 * 60))
	u.add(countKey{of.OrganisationID, of.Actor.ID, day}, n)
	return day
}

// Store stores the counts since the last call. After a failure the next call includes them.
func (u *Uses) Store(ctx context.Context) error {
	taken := u.drain()
	err := u.store(ctx, taken)
	if err != nil {
		for key, n := range taken {
			u.add(key, n)
		}
	}
	return err
}

const (
	recordInterval = 50 * time.Second
	recordTimeout  = 5 * time.Second
)

// Run stores the counts until ctx ends. The program stores the last ones after the last request.
func (u *Uses) Run(ctx context.Context) {
	tick := time.NewTicker(recordInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// Not cancelled with ctx: a cancelled statement may or may not have committed.
		recording, done := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		if err := u.Store(recording); err != nil {
			slog.Warn("cannot store the usage of API keys: the next attempt includes it", "error",
				err)
		}
		done()
	}
}
