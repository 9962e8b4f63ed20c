package apikeys_test

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit/tb"
)

// rules.md, Audit log: each change of a key adds one entry. A rename to the current label adds none.
func TestEachChangeOfAKeyIsRecorded(t *testing.T) {
	b := setup(t)
	admin := member(ourOrganisation, "admin", true)
	key, token := tb.Must2(b.create(admin))(t)
	entries := 0
	requireEntry := func(action audit.Action, details map[string]any) {
		entries++
		require.Equal(t, entries, b.CountRows(`audit_entries`), action)
		e := b.entries(action)[0]
		require.Equal(t, audit.Actor{Kind: audit.Person, ID: admin.ID, Name: admin.Name}, e.Actor)
		require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, e.Target)
		require.Equal(t, details, e.Details)
		require.Equal(t, request, e.Request)
	}
	requireEntry(audit.KeyCreated, map[string]any{"name": "n"})
	for _, c := range []struct {
		name, description string
		details           map[string]any
	}{
		{"Power BI", "For Ann", map[string]any{"oldName": "n", "newName": "Power BI", "description": "For Ann"}},
		{"Power BI", "", map[string]any{"name": "Power BI", "description": ""}},
		{"BI", "", map[string]any{"oldName": "Power BI", "newName": "BI"}},
	} {
		shown, label := apikeys.Label{Description: "?"}, apikeys.Label{Name: c.name, Description: c.description}
		for range 2 {
			require.NoError(t, b.service.Rename(b.t.Context(), admin, key.ID, shown, label, request))
			require.Equal(t, c.name, b.accept(token).Actor.Name, "from the next request on")
		}
		stored := tb.Must(b.otherInstance.Key(b.t.Context(), b.owner, key.ID))(t)
		require.Equal(t, []string{c.name, c.description}, []string{stored.Name, stored.Description})
		requireEntry(audit.KeyRenamed, c.details)
	}
	created, _ := tb.Must2(b.service.Create(b.t.Context(), admin, successor(key, time.Hour), request))(t)
	requireEntry(audit.KeyReplaced, map[string]any{
		"name": "BI", "replacement": created.ID,
		"stopsAt": b.readInstant("revoked_at", key).UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	for range 2 {
		require.NoError(t, b.service.Revoke(b.t.Context(), admin, key.ID, request))
	}
	requireEntry(audit.KeyRevoked, map[string]any{"name": "BI"})
}

// An entry records the key's name as read under the lock, not as read before it.
func TestEntryHasTheNameReadUnderTheLock(t *testing.T) {
	b := setup(t)
	for _, name := range []string{"rename", "replace", "revoke"} {
		key, _ := b.newKey()
		rename := b.Begin(`update api_keys set name = 'First' where id = $1`, key.ID)
		require.NoError(t, b.WhileWaiting(rename, b.changes(b.owner, key)[name], nil), name)
		require.Equal(t, 1, b.CountRows(`audit_entries where target_id = $1
			and coalesce(details ->> 'oldName', details ->> 'name') = 'First'`, key.ID), name)
	}
}

// A revocation waits for no request of its key (rules.md, Bounds), nor for an import that changes its actor. A request
// waits for no change of its key.
func TestRevocationAndRequestDoNotWait(t *testing.T) {
	b, key, token := setupKey(t)
	otherKey, otherToken := b.newKey()
	importing := b.Begin(`update users set name = 'Renamed' where id = $1`, b.owner.ID)
	b.ExecIn(importing, `update memberships set role = 'admin' where user_id = $1`, b.owner.ID)
	requesting := b.Begin(`update api_key_windows set head = head where key_id = $1`, key.ID)
	require.NoError(t, b.WhileWaiting(requesting, func() error { return b.use(token) }, func() {
		require.NoError(t, b.otherInstance.Revoke(b.t.Context(), b.owner, key.ID, request))
	}), "it started before the commit: it may pass (doc.go, Trade-offs)")
	require.Nil(t, b.readInstant("last_used_at", key))
	b.Begin(`update api_keys set name = 'Renamed' where id = $1`, otherKey.ID)
	b.accept(otherToken)
}

// Another organisation's key can be neither read nor changed. A malformed id gets the error of an unknown id.
func TestKeyOfAnotherOrganisationIsNotFound(t *testing.T) {
	b := setup(t)
	theirs, token := tb.Must2(b.create(member(theirOrganisation, "owner", true)))(t)
	ours, _ := b.newKey()
	before := b.CountRows(`audit_entries`)
	for _, id := range []string{
		theirs.ID, unknownToken.ID, "", "x", token.String(), "\x00", strings.Repeat("\xff", 22), ours.ID + "\n",
	} {
		requireCode(t, apperr.NotFound, tb.ErrorOf(b.service.Key(b.t.Context(), b.owner, id)))
		for name, change := range b.changes(b.owner, apikeys.Key{ID: id}) {
			if name != "create" && (id != "" || name != "replace") { // replacing "" creates a key
				requireCode(t, apperr.NotFound, change())
			}
		}
	}
	plainMember := member(ourOrganisation, "member", false)
	requireCode(t, apperr.AccessDenied, tb.ErrorOf(b.service.Key(b.t.Context(), plainMember, ours.ID)))
	newKey := apikeys.NewKey{ID: theirs.ID, Name: "n", Scopes: bothScopes}
	err := tb.ErrorOf2(b.service.Create(b.t.Context(), b.owner, newKey, request))
	require.ErrorIs(t, err, apikeys.ErrAlreadyCreated)
	b.accept(token)
	b.storeUsage()
	requireCode(t, apperr.AccessDenied, tb.ErrorOf(b.service.UsageOf(b.t.Context(), b.owner, []apikeys.Key{theirs})))
	theirs.OrganisationID = ourOrganisation
	require.Zero(t, b.usageToday(theirs), "their usage is not read")
	require.Equal(t, before, b.CountRows(`audit_entries`))
	require.Zero(t, b.CountRows(`api_keys where revoked_at is not null`))
	require.Equal(t, []apikeys.Key{ours}, b.listKeys())
}

func (b *fixture) listKeys() []apikeys.Key {
	return tb.Must(b.service.List(b.t.Context(), b.owner))(b.t)
}

// List returns all usable keys of any age, and the newest of the other keys, newest first.
func TestKeyListIsBounded(t *testing.T) {
	b := setup(t)
	past := time.Now().Add(-time.Hour)
	b.insertKeys(10, "old", nil, nil)
	b.Exec(`update api_keys set created_at = created_at - interval '1 year'`)
	b.insertKeys(600, "revoked", nil, &past)
	b.insertKeys(600, "expired", &past, nil)
	listed := b.listKeys()
	require.Len(t, listed, apikeys.MaxListed)
	require.True(t, slices.IsSortedFunc(listed, func(a, k apikeys.Key) int {
		return cmp.Or(k.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, k.ID))
	}), "newest first")
	require.Len(t, tb.Must(b.service.UsageOf(t.Context(), b.owner, listed))(t), apikeys.MaxUsable, "of the first keys")
	usable := 0
	for _, k := range listed {
		if k.State(time.Now(), org.PlanPro) == apikeys.StateUsable {
			usable++
		}
	}
	require.Equal(t, 10, usable)
	require.Equal(t, "old1", listed[len(listed)-1].Name)
	require.Equal(t, time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), listed[0].CreatedAt.UTC())
}

// ExpiresSoon is true in a key's last 30 days, or in the last quarter of its life if that is shorter.
func TestKeyExpiresSoonInItsLastQuarter(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct{ lifetime, notice time.Duration }{
		{day, 6 * time.Hour}, {30 * day, 7*day + 12*time.Hour}, {90 * day, 22*day + 12*time.Hour},
		{120 * day, 30 * day}, {365 * day, 30 * day},
	} {
		for remaining, want := range map[time.Duration]bool{
			c.lifetime: false, c.notice + 1: false, c.notice: true, 1: true, 0: false, -1: false,
		} {
			at := now.Add(remaining)
			k := apikeys.Key{CreatedAt: at.Add(-c.lifetime), ExpiresAt: &at}
			require.Equal(t, want, k.ExpiresSoon(now), "of %s %s are left", c.lifetime, remaining)
		}
	}
	require.False(t, apikeys.Key{CreatedAt: now}.ExpiresSoon(now), "it never expires")
}

func (b *fixture) usageToday(key apikeys.Key) [3]int64 {
	today := b.usage(key)[apikeys.UsageDays-1]
	return [3]int64{today.Accepted, today.Refused, today.Limited}
}

func (b *fixture) usage(key apikeys.Key) []apikeys.Usage {
	byKey := tb.Must(b.service.UsageOf(b.t.Context(), b.owner, []apikeys.Key{key}))(b.t)
	require.Len(b.t, byKey[key.ID], apikeys.UsageDays)
	return byKey[key.ID]
}

func (b *fixture) storeUsage() {
	for _, instance := range []*apikeys.Service{b.service, b.otherInstance} {
		require.NoError(b.t, instance.UsageCounter.Store(b.t.Context()))
	}
}

// Each request of a known key is counted once, as accepted, refused or limited, on either instance. Counts that cannot
// be stored are added to later counts. Counts of deleted keys are dropped.
func TestUsageCountsEachRequestOnce(t *testing.T) {
	b, key, token := setupKey(t)
	deletedKey, deletedToken := b.newKey()
	b.concurrently(130, b.useFunc(token))
	for _, err := range []error{b.use(withWrongSecret(token)), b.useOutside(key.ID), b.use(unknownToken)} {
		require.Error(t, err)
	}
	require.Zero(t, b.usageToday(key), "counted in memory")
	b.storeUsage()
	require.Equal(t, [3]int64{120, 2, 10}, b.usageToday(key))
	require.Zero(t, b.usageToday(deletedKey), "unused")
	require.Equal(t, 1, b.CountRows(`api_key_usage`), "an unknown key is not counted")

	// A request refused after authentication moves from Accepted to Refused, even if its count was stored before.
	b.ageRequestsInWindows(key.ID, 61)
	caller := b.accept(token)
	b.storeUsage()
	require.Equal(t, errOutsideAPI,
		b.service.Refuse(b.t.Context(), caller, audit.InsufficientScope, audit.Target{}, request, errOutsideAPI))
	b.storeUsage()
	b.storeUsage()
	require.Equal(t, [3]int64{120, 3, 10}, b.usageToday(key))

	b.accept(deletedToken)
	b.accept(token)
	b.Exec(`create function fail() returns trigger language plpgsql as $$ begin
		perform pg_advisory_xact_lock(7); raise 'full'; end $$`)
	b.Exec(`create trigger fail before insert on api_key_usage for each row execute function fail()`)
	require.Error(t, b.WhileWaiting(b.Begin(`select pg_advisory_xact_lock(7)`), func() error {
		return b.service.UsageCounter.Store(b.t.Context())
	}, func() { b.accept(token) }))
	b.Exec(`drop trigger fail on api_key_usage`)
	b.Exec(`delete from api_keys where id = $1`, deletedKey.ID)
	b.storeUsage()
	require.Equal(t, [3]int64{122, 3, 10}, b.usageToday(key))
	require.Zero(t, b.usageToday(deletedKey))
}

// A request counts for the UTC day of its arrival. Counts are kept for 30 days.
func TestUsageIsCountedByDayOfArrival(t *testing.T) {
	b := setup(t)
	now := time.Now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour - time.Millisecond)
	b.service = b.newInstance(b.DB, func() time.Time { return now })
	key, token := b.newKey()
	b.accept(token)
	caller := b.accept(token)
	now = now.Add(time.Millisecond)
	require.Error(t, b.service.Refuse(b.t.Context(), caller, audit.InsufficientScope, audit.Target{}, request,
		errOutsideAPI), "it belongs to the day of its request")
	b.accept(token)
	b.storeUsage()
	days := b.usage(key)
	require.Equal(t, apikeys.Usage{Day: now.Add(-24 * time.Hour), Accepted: 1, Refused: 1}, days[apikeys.UsageDays-2])
	require.Equal(t, apikeys.Usage{Day: now, Accepted: 1}, days[apikeys.UsageDays-1])
	require.Equal(t, apikeys.Usage{Day: now.AddDate(0, 0, 1-apikeys.UsageDays)}, days[0])

	now = now.AddDate(0, 0, apikeys.UsageDays-1)
	b.storeUsage()
	require.Equal(t, int64(1), b.usage(key)[0].Accepted)
	require.Equal(t, 1, b.CountRows(`api_key_usage`), "the day before has been removed")
	now = now.AddDate(0, 0, -apikeys.UsageDays)
	require.Zero(t, b.usageToday(key), "a count of a clock that is ahead is left out")
}

// ExpiringInUse counts keys that expire within 14 days, are in use and were neither revoked nor replaced.
func TestKeysThatExpireInUseAreCounted(t *testing.T) {
	b := setup(t)
	const soon = `created_at = now() - interval '90 d', expires_at = now() + interval '13 d', `
	for change, counted := range map[string]bool{
		soon + `last_used_at = now() - interval '1 d'`:                                                     true,
		soon + `last_used_at = now() - interval '15 d'`:                                                    false,
		soon + `last_used_at = null`:                                                                       false,
		soon + `last_used_at = now(), revoked_at = now() + interval '1 d'`:                                 false,
		`last_used_at = now(), expires_at = null`:                                                          false,
		`last_used_at = now(), expires_at = now() + interval '15 d'`:                                       false,
		`created_at = now() - interval '90 d', last_used_at = now(), expires_at = now() - interval '1 ms'`: false,
	} {
		key, _ := b.newKey()
		b.Exec(`update api_keys set `+change+` where id = $1`, key.ID)
		require.Equal(t, counted, tb.Must(b.service.ExpiringInUse(t.Context()))(t) == 1, change)
		b.Exec(`update api_keys set last_used_at = null where id = $1`, key.ID)
	}
}

// rules.md, Keys: accepted requests advance the last use, once a minute at most and not after the revocation.
func TestLastUseOnlyAdvances(t *testing.T) {
	b := setup(t)
	const (
		lastMinute = `date_trunc('minute', clock_timestamp()) - interval '1 ms'`
		revoke     = `update api_keys set revoked_at = now() + interval `
	)
	useWrongSecret := func(token apikeys.Token) error { return b.use(withWrongSecret(token)) }
	useOutside := func(token apikeys.Token) error { return b.useOutside(token.ID) }
	for name, c := range map[string]struct {
		lastUsed string // SQL: the stored last_used_at
		change   string // SQL; "": none
		use      func(apikeys.Token) error
		advances bool
	}{
		"the first use":            {`null`, "", b.use, true},
		"the first in this minute": {lastMinute, "", b.use, true},
		"never backwards":          {`now() + interval '1 h'`, "", b.use, false},
		"with a wrong secret":      {lastMinute, "", useWrongSecret, false},
		"outside /api/v1/":         {`null`, "", useOutside, false},
		"while it was replaced":    {`null`, revoke + `'1 h'`, b.use, true},
		"after the revocation":     {lastMinute, revoke + `'-1 ms'`, b.use, false},
		"its windows had gone":     {lastMinute, `truncate api_key_windows`, b.use, true},
		"beyond the rate": {lastMinute,
			`update api_key_windows set instants = array_fill(now(), array[120])`, b.use, false},
	} {
		key, token := b.newKey()
		b.Exec(`update api_keys set last_used_at = `+c.lastUsed+` where id = $1`, key.ID)
		before := b.readInstant("last_used_at", key)
		b.Exec(c.change)
		otherKey, _ := b.newKey()
		_ = c.use(token)
		after := b.readInstant("last_used_at", key)
		require.Nil(t, b.readInstant("last_used_at", otherKey), "%s: another key's", name)
		require.Equal(t, c.advances, !reflect.DeepEqual(before, after), name)
		require.True(t, !c.advances || b.CountRows(`api_keys where id = $1 and last_used_at between
			clock_timestamp() - interval '1 min' and clock_timestamp()`, key.ID) == 1, name)
	}
	key, token := b.newKey()
	b.Exec(`update api_keys set last_used_at = now() - interval '5 ms' where id = $1`, key.ID)
	first := b.readInstant("last_used_at", key)
	b.accept(token)
	again := b.readInstant("last_used_at", key)
	require.True(t, again.Equal(*first) || again.Truncate(time.Minute).After(*first),
		"the second use moves it only if another minute has begun")
	_, unused := b.newKey()
	b.Exec(`revoke update on api_keys from dg_app`)
	require.ErrorContains(t, b.use(unused), "last used")
}
