package apikeys

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"dg/platform/authz"
	"dg/platform/postgres"
)

// UsageDays is the retention of a key's usage in UTC days, today included.
const UsageDays = 30

const (
	recordInterval = 50 * time.Second
	recordTimeout  = 5 * time.Second
	maxCounted     = 20_000 // pairs of key and day in memory
)

// Usage counts the requests of a key on a UTC day. Refused ones are in the audit log. Limited ones
// exceeded the rate limit. Accepted ones are all others, also if they failed.
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

// Counter counts the requests of keys by day, in memory first.
type Counter struct {
	db  *postgres.DB
	now func() time.Time

	mu      sync.Mutex
	counts  map[countKey]*counts
	dropped int64 // requests that were not counted because of maxCounted
}

type countKey struct {
	keyID string
	day   int // since 1970, in UTC
}

type counts struct {
	organisationID string
	of             [outcomes]int64
}

// add adds n requests in memory.
func (c *Counter) add(organisationID string, key countKey, what outcome, n int64) {
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

// take returns the counts and resets them.
func (c *Counter) take() (taken map[countKey]*counts, dropped int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken = c.counts
	dropped = c.dropped
	c.counts = nil
	c.dropped = 0
	return taken, dropped
}

// giveBack adds counts from take to the current ones.
func (c *Counter) giveBack(taken map[countKey]*counts) {
	for key, t := range taken {
		for what, n := range t.of {
			c.add(t.organisationID, key, outcome(what), n)
		}
	}
}

// count counts a request of the caller, and returns the day.
func (c *Counter) count(of Caller, what outcome) (day int) {
	day = int(c.now().Unix() / (24 * 60 * 60))
	c.add(of.OrganisationID, countKey{of.KeyID, day}, what, 1)
	return day
}

// recount moves an accepted request of the caller to the refused ones.
func (c *Counter) recount(of Caller) {
	key := countKey{of.KeyID, of.countedOn}
	c.add(of.OrganisationID, key, accepted, -1)
	c.add(of.OrganisationID, key, refused, 1)
}

// RecordUsage stores the counts since the last call. After a failure the next call includes them.
func (c *Counter) RecordUsage(ctx context.Context) error {
	taken, dropped := c.take()
	if dropped > 0 {
		slog.Warn("requests of API keys were not counted: too many keys at once", "requests",
			dropped, "keys", maxCounted)
	}
	err := c.recordUsage(ctx, taken)
	if err != nil {
		c.giveBack(taken)
	}
	return err
}

// Run stores the counts until ctx ends. The program stores the last ones by RecordUsage after the
// last request.
func (c *Counter) Run(ctx context.Context) {
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
		if err := c.RecordUsage(recording); err != nil {
			slog.Warn("cannot store the usage of API keys: the next attempt includes it", "error",
				err)
		}
		done()
	}
}

// Usage returns the usage of a key on each of the last UsageDays, today last, at most a minute late.
// Errors: apperr.AccessDenied.
func (r *Reader) Usage(ctx context.Context, actor Actor, k Key) ([]Usage, error) {
	all, err := r.UsageOf(ctx, actor, []Key{k})
	return all[k.ID], err
}

// UsageOf returns the Usage of the first MaxUsable keys, by id. Errors: apperr.AccessDenied.
func (r *Reader) UsageOf(ctx context.Context, actor Actor, keys []Key) (map[string][]Usage, error) {
	err := r.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID)
	if err == nil {
		err = r.authorizeAll(actor.Subject, authz.ListKeys, keys)
	}
	if err != nil {
		return nil, err
	}
	return r.usageSince(ctx, actor.OrganisationID, keys[:min(len(keys), MaxUsable)],
		firstUsageDay(r.now()))
}

// firstUsageDay is the first day within the retention.
func firstUsageDay(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-UsageDays)
}
