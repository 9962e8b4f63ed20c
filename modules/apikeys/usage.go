package apikeys

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// UsageDays is the retention of a key's usage in UTC days, today included.
const UsageDays = 30

// Usage counts the requests of a key on a UTC day. Refused ones are in the audit log. Limited ones
// exceeded the rate limit. Accepted ones are all others, also if they failed.
type Usage struct {
	Day                        time.Time
	Accepted, Refused, Limited int64
}

// maxCounted bounds the pairs of key and day in memory.
const maxCounted = 20_000

// counter counts the requests of keys by day in memory.
type counter struct {
	mu   sync.Mutex
	of   map[countKey]counts
	full bool // whether requests were not counted because of maxCounted
}

type countKey struct {
	organisationID, keyID string
	day                   int // since 1970, in UTC
}

type counts struct{ accepted, refused, limited int64 }

func (c *counter) add(key countKey, n counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of, known := c.of[key]
	if !known && len(c.of) >= maxCounted {
		c.full = true
		return
	}
	if c.of == nil {
		c.of = map[countKey]counts{}
	}
	of.accepted += n.accepted
	of.refused += n.refused
	of.limited += n.limited
	c.of[key] = of
}

// take returns the counts and resets them.
func (c *counter) take() (taken map[countKey]counts, full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken = c.of
	full = c.full
	c.of = nil
	c.full = false
	return taken, full
}

// count counts a request of the caller, and returns the day.
func (s *Service) count(of Caller, n counts) (day int) {
	day = int(s.now().Unix() / (24 * 60 * 60))
	s.uses.add(countKey{of.OrganisationID, of.Actor.ID, day}, n)
	return day
}

// RecordUsage stores the counts since the last call. After a failure the next call includes them.
func (s *Service) RecordUsage(ctx context.Context) error {
	taken, full := s.uses.take()
	if full {
		slog.Warn("requests of API keys were not counted: too many keys at once", "keys", maxCounted)
	}
	err := s.storeUsage(ctx, taken)
	if err != nil {
		for key, n := range taken {
			s.uses.add(key, n)
		}
	}
	return err
}

const (
	recordInterval = 50 * time.Second
	recordTimeout  = 5 * time.Second
)

// Run stores the counts until ctx ends. The program stores the last ones by RecordUsage after the
// last request.
func (s *Service) Run(ctx context.Context) {
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
		if err := s.RecordUsage(recording); err != nil {
			slog.Warn("cannot store the usage of API keys: the next attempt includes it", "error",
				err)
		}
		done()
	}
}
