package apikeys_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

func (b *bundle) used(key apikeys.Key) [3]int64 {
	today := b.usage(key)[apikeys.UsageDays-1]
	return [3]int64{today.Accepted, today.Refused, today.Limited}
}

func (b *bundle) usage(key apikeys.Key) []apikeys.Usage {
	all, err := b.keys.UsageOf(b.t.Context(), b.owner, []apikeys.Key{key})
	require.NoError(b.t, err)
	require.Len(b.t, all[key.ID], apikeys.UsageDays)
	return all[key.ID]
}

func (b *bundle) record() {
	for _, instance := range []*apikeys.Service{b.keys, b.other} {
		require.NoError(b.t, instance.UsageCounter.Store(b.t.Context()))
	}
}

// Each request is in one count, over both instances.
func TestUsageCountsEachRequestOnce(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	other, _ := b.newKey()
	b.together(130, b.uses(token))
	for _, err := range []error{b.use(guessed(token)), b.useOutside(key.ID), b.use(unknownKey)} {
		require.Error(t, err)
	}
	require.Zero(t, b.used(key), "counted in memory")
	b.record()
	require.Equal(t, [3]int64{120, 2, 10}, b.used(key))
	require.Zero(t, b.used(other))
	require.Equal(t, 1, b.Count(`api_key_usage`), "an unknown key is not counted")

	// A request that is refused after its authentication moves to the refused ones, also after its
	// count was stored.
	b.pass(key.ID, 61)
	caller := b.accept(token)
	b.record()
	require.Equal(t, errOutside, b.keys.Refuse(b.t.Context(), caller, audit.InsufficientScope,
		audit.Target{}, request, errOutside))
	b.record()
	b.record()
	require.Equal(t, [3]int64{120, 3, 10}, b.used(key))
}

// Counts that cannot be stored are kept for the next attempt. Those of deleted keys are dropped.
func TestUsageIsKeptUntilItIsStored(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	gone, goneToken := b.newKey()
	b.accept(goneToken)
	b.Exec(`alter table api_key_usage rename to elsewhere`)
	for range 3 {
		b.accept(token)
		require.Error(t, b.keys.UsageCounter.Store(b.t.Context()))
	}
	b.Exec(`alter table elsewhere rename to api_key_usage`)
	b.Exec(`delete from api_keys where id = $1`, gone.ID)
	b.record()
	require.Equal(t, [3]int64{3, 0, 0}, b.used(key))
	require.Zero(t, b.used(gone))
}

// A request belongs to the UTC day on which it came, and is kept for 30 days.
func TestUsageByDay(t *testing.T) {
	b := setup(t)
	now := time.Now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour - time.Millisecond)
	b.keys = b.instance(b.DB, func() time.Time { return now })
	key, token := b.newKey()
	b.accept(token)
	last := b.accept(token)
	now = now.Add(time.Millisecond)
	require.Error(t,
		b.keys.Refuse(b.t.Context(), last, audit.InsufficientScope, audit.Target{}, request, errOutside),
		"it belongs to the day of its request")
	b.accept(token)
	b.record()
	days := b.usage(key)
	require.Equal(t, apikeys.Usage{Day: now.Add(-24 * time.Hour), Accepted: 1, Refused: 1},
		days[apikeys.UsageDays-2])
	require.Equal(t, apikeys.Usage{Day: now, Accepted: 1}, days[apikeys.UsageDays-1])
	require.Equal(t, apikeys.Usage{Day: now.AddDate(0, 0, 1-apikeys.UsageDays)}, days[0])

	now = now.AddDate(0, 0, apikeys.UsageDays-1)
	b.record()
	require.Equal(t, int64(1), b.usage(key)[0].Accepted)
	require.Equal(t, 1, b.Count(`api_key_usage`), "the day before has been removed")
}

// Two instances that store the counts of many keys at the same time lose none and do not deadlock.
func TestInstancesStoreUsageTogether(t *testing.T) {
	b := setup(t)
	var keys [20]apikeys.Key
	var tokens [20]apikeys.Token
	for i := range keys {
		keys[i], tokens[i] = b.newKey()
	}
	errs := b.together(2, func(_ int, on *apikeys.Service) (err error) {
		for _, token := range tokens {
			_, used := on.Authenticate(b.t.Context(), token, requested)
			err = errors.Join(err, used, on.UsageCounter.Store(b.t.Context()))
		}
		return err
	})
	require.Equal(t, 2, accepted(errs), "%v", errs)
	for _, key := range keys {
		require.Equal(t, [3]int64{2, 0, 0}, b.used(key))
	}
}

// The metric counts keys of every organisation that end within 14 days, are in use and were not
// replaced.
func TestKeysThatExpireInUseAreCounted(t *testing.T) {
	b := setup(t)
	const soon = `created_at = now() - interval '90 d', expires_at = now() + interval '13 d', `
	for change, counts := range map[string]bool{
		soon + `last_used_at = now() - interval '1 d'`:                                   true,
		soon + `last_used_at = now() - interval '15 d'`:                                  false,
		soon + `last_used_at = null`:                                                     false,
		soon + `last_used_at = now(), revoked_at = now() + interval '1 d'`:               false,
		`last_used_at = now(), expires_at = null`:                                        false,
		`last_used_at = now(), expires_at = now() + interval '15 d'`:                     false,
		`created_at = now() - interval '90 d', last_used_at = now(), expires_at = now()`: false,
	} {
		key, _ := b.newKey()
		b.Exec(`update api_keys set `+change+` where id = $1`, key.ID)
		n, err := b.keys.ExpiringInUse(t.Context())
		require.NoError(t, err)
		require.Equal(t, counts, n == 1, change)
		b.Exec(`update api_keys set last_used_at = null where id = $1`, key.ID)
	}
}

// rules.md, Keys: last use is the last authenticated request within the rate limit. It only
// advances, at most once a clock minute, and never past the revocation.
func TestLastUse(t *testing.T) {
	b := setup(t)
	const (
		lastMinute = `date_trunc('minute', clock_timestamp()) - interval '1 ms'`
		revoke     = `update api_keys set revoked_at = now() + interval `
	)
	wrongSecret := func(token apikeys.Token) error { return b.use(guessed(token)) }
	outside := func(token apikeys.Token) error { return b.useOutside(token.ID) }
	for name, c := range map[string]struct {
		before string // last_used_at as it was
		change string // "": none
		use    func(apikeys.Token) error
		moves  bool
	}{
		"the first use":            {`null`, "", b.use, true},
		"the first in this minute": {lastMinute, "", b.use, true},
		"never backwards":          {`now() + interval '1 h'`, "", b.use, false},
		"with a wrong secret":      {lastMinute, "", wrongSecret, false},
		"outside /api/v1/":         {`null`, "", outside, false},
		"while it was replaced":    {`null`, revoke + `'1 h'`, b.use, true},
		"after the revocation":     {lastMinute, revoke + `'-1 ms'`, b.use, false},
		"its windows had gone":     {lastMinute, `truncate api_key_windows`, b.use, true},
		"beyond the rate": {lastMinute,
			`update api_key_windows set instants = array_fill(now(), array[120])`, b.use, false},
	} {
		key, token := b.newKey()
		b.Exec(`update api_keys set last_used_at = `+c.before+` where id = $1`, key.ID)
		before := b.instant("last_used_at", key)
		b.Exec(c.change)
		theirs, _ := b.newKey()
		_ = c.use(token)
		after := b.instant("last_used_at", key)
		require.Nil(t, b.instant("last_used_at", theirs), "%s: another key's", name)
		require.Equal(t, c.moves, !reflect.DeepEqual(before, after), name)
		require.True(t, !c.moves || b.Count(`api_keys where id = $1 and last_used_at between
			clock_timestamp() - interval '1 min' and clock_timestamp()`, key.ID) == 1, name)
	}
	key, token := b.newKey()
	b.Exec(`update api_keys set last_used_at = now() - interval '5 ms' where id = $1`, key.ID)
	first := b.instant("last_used_at", key)
	b.accept(token)
	again := b.instant("last_used_at", key)
	require.True(t, again.Equal(*first) || again.Truncate(time.Minute).After(*first),
		"the second use moves it only if another minute has begun")
}
