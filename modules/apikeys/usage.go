package apikeys

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"dg/platform/authz"
)

// UsageDays is the retention of a key's usage in UTC days, today included.
const UsageDays = 30

// recordInterval is the period of storing counts, recordTimeout bounds it, and maxCounted bounds
// the pairs of key and day in memory.
const (
	recordInterval = 50 * time.Second
	recordTimeout  = 5 * time.Second
	maxCounted     = 20_000
)

// Usage is the number of requests of a key on a UTC day. The audit log has the refused ones, one by
// one or counted. Limited ones exceeded the rate limit. Accepted ones are all others, also if they
// failed.
type Usage struct {
	Day                        time.Time
	Accepted, Refused, Limited int64
}

// outcome is the column of usage that counts a request.
type outcome int

const (
	accepted outcome = iota
	refused
	limited
	outcomes
)

// counter holds the instance's unstored counts.
type counter struct {
	mu      sync.Mutex
	counts  map[countKey]*counts
	dropped int64 // requests of keys for which there was no room
}

type countKey struct {
	keyID string
	day   int // since 1970, in UTC
}

type counts struct {
	organisationID string
	of             [outcomes]int64
}

// add adds n requests in memory: it is on the path of every request.
func (c *counter) add(organisationID string, key countKey, what outcome, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.counts[key]
	if of == nil {
		if len(c.counts) >= maxCounted {
			c.dropped += max(n, 0)
			return
		}
		if c.counts == nil {
			c.counts = map[countKey]*counts{}
		}
		of = &counts{organisationID: organisationID}
		c.counts[key] = of
	}
	of.of[what] += n
}

// take empties the counter.
func (c *counter) take() (taken map[countKey]*counts, dropped int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken = c.counts
	dropped = c.dropped
	c.counts = nil
	c.dropped = 0
	return taken, dropped
}

// giveBack adds counts from take to those counted since.
func (c *counter) giveBack(taken map[countKey]*counts) {
	for key, t := range taken {
		for what, n := range t.of {
			c.add(t.organisationID, key, outcome(what), n)
		}
	}
}

// count counts a request of the caller, and returns the day.
func (s *Service) count(c Caller, what outcome) (day int) {
	day = int(s.now().Unix() / (24 * 60 * 60))
	s.usage.add(c.OrganisationID, countKey{c.KeyID, day}, what, 1)
	return day
}

// recount moves an accepted request of the caller to the refused ones.
func (s *Service) recount(c Caller) {
	key := countKey{c.KeyID, c.countedOn}
	s.usage.add(c.OrganisationID, key, accepted, -1)
	s.usage.add(c.OrganisationID, key, refused, 1)
}

// RecordUsage stores what this instance has counted since the last call. After a failure the next
// call includes it.
func (s *Service) RecordUsage(ctx context.Context) error {
	taken, dropped := s.usage.take()
	if dropped > 0 {
		slog.Warn("requests of API keys were not counted: too many keys at once", "requests",
			dropped, "keys", maxCounted)
	}
	err := s.recordUsage(ctx, taken)
	if err != nil {
		s.usage.giveBack(taken)
	}
	return err
}

// Run stores the counts until ctx ends. The program stores the last ones with RecordUsage when no
// request is left.
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

// Usage returns the requests of a key on each of the last UsageDays, today last, at most a minute
// late.
// Errors: apperr.AccessDenied.
func (s *Service) Usage(ctx context.Context, actor Actor, k Key) ([]Usage, error) {
	if err := s.authorize(actor.Subject, authz.ListKeys, k.OrganisationID); err != nil {
		return nil, err
	}
	return s.usageSince(ctx, k.OrganisationID, k.ID, s.firstUsageDay())
}

// firstUsageDay is the first day within the retention.
func (s *Service) firstUsageDay() time.Time {
	return s.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-UsageDays)
}
