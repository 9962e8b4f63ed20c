package apikeys

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// UsageDays is the retention of a key's usage in UTC days, today included.
const UsageDays = 30

// Usage counts the requests of a key on a UTC day. Refused requests have an audit.Reason. Limited
// requests exceeded the rate limit. Accepted ones are all other authenticated requests.
type Usage struct {
	Day                        time.Time
	Accepted, Refused, Limited int64
}

// maxUsageCounts bounds the memory of a UsageCounter. Counts of further keys and days are dropped.
const maxUsageCounts = 20_000

// UsageCounter counts the requests of keys by day, in memory until Store writes the counts.
type UsageCounter struct {
	db  *postgres.DB
	now func() time.Time

	mu     sync.Mutex
	counts map[usageKey]counts
}

type usageKey struct {
	organisationID, keyID string
	day                   int // days since 1970, in UTC
}

type counts struct{ accepted, refused, limited int64 }

func (u *UsageCounter) add(key usageKey, delta counts) {
	u.mu.Lock()
	defer u.mu.Unlock()
	count, known := u.counts[key]
	if !known && len(u.counts) >= maxUsageCounts {
		return
	}
	count.accepted += delta.accepted
	count.refused += delta.refused
	count.limited += delta.limited
	u.counts[key] = count
}

// addToday adds delta to the current day, and returns the day so that Refuse can correct the count.
func (u *UsageCounter) addToday(caller Caller, delta counts) (day int) {
	day = int(u.now().Unix() / (24 * 60 * 60))
	u.add(usageKey{caller.OrganisationID, caller.Actor.ID, day}, delta)
	return day
}

// Store adds the counts since its last call to api_key_usage. After a failure it keeps them for the
// next call. If only the reply to a commit was lost, the requests count twice.
func (u *UsageCounter) Store(ctx context.Context) error {
	u.mu.Lock()
	pending := u.counts
	u.counts = map[usageKey]counts{}
	u.mu.Unlock()
	err := u.store(ctx, pending)
	if err != nil {
		for key, count := range pending {
			u.add(key, count)
		}
	}
	return err
}

const (
	storeInterval = 50 * time.Second
	storeTimeout  = 5 * time.Second
)

// Run calls Store at intervals until ctx ends. After the last request the program calls Store again.
func (u *UsageCounter) Run(ctx context.Context, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(storeInterval):
		}
		// ctx does not cancel Store: a cancelled statement may have committed, and would count
		// twice.
		storeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		if err := u.Store(storeCtx); err != nil {
			log.Warn("cannot store the usage of API keys: the next attempt includes it", "error", err)
		}
		cancel()
	}
}

// storeUsageSQL adds the counts of all keys in a fixed order, so that instances cannot deadlock.
// The join drops the counts of deleted keys. The statement also deletes counts older than
// UsageDays.
const storeUsageSQL = `/* apikeys.storeUsage */
with ended as (
    select key_id, day from api_key_usage where day < $1 limit 1000 for update skip locked
), removed as (
    delete from api_key_usage u using ended e where u.key_id = e.key_id and u.day = e.day
)
insert into api_key_usage as u (org_id, key_id, day, accepted, refused, limited)
select k.org_id, k.id, c.day, c.accepted, c.refused, c.limited
  from unnest($2::uuid[], $3::text[], $4::date[], $5::bigint[], $6::bigint[],
    $7::bigint[]) c (org_id, key_id, day, accepted, refused, limited)
  join api_keys k on k.org_id = c.org_id and k.id = c.key_id
 order by k.id, c.day
on conflict (key_id, day) do update
  set accepted = u.accepted + excluded.accepted, refused = u.refused + excluded.refused,
    limited = u.limited + excluded.limited`

func (u *UsageCounter) store(ctx context.Context, pending map[usageKey]counts) error {
	var organisationIDs, keyIDs []string
	var days []time.Time
	var accepted, refused, limited []int64
	for key, count := range pending {
		organisationIDs = append(organisationIDs, key.organisationID)
		keyIDs = append(keyIDs, key.keyID)
		days = append(days, time.Unix(int64(key.day)*24*60*60, 0).UTC())
		accepted = append(accepted, count.accepted)
		refused = append(refused, count.refused)
		limited = append(limited, count.limited)
	}
	_, err := u.db.Pool.Exec(ctx, storeUsageSQL, u.firstDay(), organisationIDs, keyIDs, days,
		accepted, refused, limited)
	return apperr.Annotate(err, "apikeys: store usage")
}

func (u *UsageCounter) firstDay() time.Time {
	return u.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-UsageDays)
}

// UsageOf returns the usage of the first MaxUsable keys, by key id: one Usage for each of the last
// UsageDays days, today last. Counts appear once Store has run. Errors: apperr.AccessDenied.
func (s *Service) UsageOf(
	ctx context.Context, actor Actor, keys []Key,
) (map[string][]Usage, error) {
	if err := s.authorizeList(actor, keys...); err != nil {
		return nil, err
	}
	first := s.UsageCounter.firstDay()
	byKey := map[string][]Usage{}
	var ids []string
	for _, k := range keys[:min(len(keys), MaxUsable)] {
		ids = append(ids, k.ID)
		byKey[k.ID] = make([]Usage, UsageDays)
		for day := range byKey[k.ID] {
			byKey[k.ID][day].Day = first.AddDate(0, 0, day)
		}
	}
	var rows []struct {
		KeyID string
		Usage
	}
	err := s.db.Gorm.WithContext(ctx).Table("api_key_usage").
		Scopes(postgres.Tag("apikeys.usage"), tenant.Scope(actor.OrganisationID)).
		Where("key_id = any(?) and day >= ?", &ids, first).Limit(len(ids) * (UsageDays + 1)).
		Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: usage: %w", err)
	}
	for _, row := range rows {
		if day := int(row.Day.Sub(first) / (24 * time.Hour)); day < UsageDays {
			byKey[row.KeyID][day] = row.Usage
		}
	}
	return byKey, nil
}
