package apikeys_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit/fixtures"
)

// atOnce calls do n times at once.
func atOnce(n int, do func(i int)) {
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wait.Go(func() {
			<-begin
			do(i)
		})
	}
	close(begin)
	wait.Wait()
}

// A form that is sent many times at once, to two instances, creates one key: one answer has the
// secret, one entry is written.
func TestIdempotencyKeyCreatesOneKey(t *testing.T) {
	b := setup(t)
	once := uuid.NewString()
	in := apikeys.NewKey{Name: "Warehouse", Scopes: bothScopes, IdempotencyKey: once}
	const n = 8 // one waits for the other, for 2 s at most
	keys := make([]apikeys.Key, n)
	tokens := make([]apikeys.Token, n)
	errs := make([]error, n)
	atOnce(n, func(i int) {
		keys[i], tokens[i], errs[i] = []*instance{
			b.keys, b.other,
		}[i%2].Create(b.ctx(), b.owner, in, request)
	})
	made := 0
	for i, err := range errs {
		if err == nil {
			made++
			require.Equal(t, keys[i].ID, tokens[i].ID)
		} else {
			require.ErrorIs(t, err, apikeys.ErrAlreadyCreated)
			require.Zero(t, tokens[i])
		}
		require.Equal(t, keys[0].ID, keys[i].ID, "all answers are about the one key")
	}
	require.Equal(t, 1, made)
	require.Len(t, b.entries(audit.KeyCreated), 1)
	require.Equal(t, 1, fixtures.One[int](b.Database, `select count(*) from api_keys`))

	// A form of another organisation is another form, and so is one that holds nothing.
	_, _, err := b.keys.Create(b.ctx(), member(theirOrganisation, "owner", false), in, request)
	require.NoError(t, err)
	in.IdempotencyKey = ""
	for range 2 {
		_, _, err := b.keys.Create(b.ctx(), b.owner, in, request)
		require.NoError(t, err)
	}
	// A revoked key is not made again by its form.
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, keys[0].ID, request))
	in.IdempotencyKey = once
	again, _, err := b.keys.Create(b.ctx(), b.owner, in, request)
	require.ErrorIs(t, err, apikeys.ErrAlreadyCreated)
	require.NotNil(t, again.RevokedAt)
	for _, malformed := range []string{"x", once + "0", "'", "\x00"} {
		in.IdempotencyKey = malformed
		_, _, err := b.keys.Create(b.ctx(), b.owner, in, request)
		require.Equal(t, "idempotencyKey", requireCode(t, apperr.Validation, err).Field)
	}
}

// addKeys stores keys past the service: n of them, the i-th created i minutes after the first.
func (b *bundle) addKeys(n int, prefix string, expires, revoked *time.Time) {
	b.t.Helper()
	b.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by,
		creator_name, expires_at, revoked_at)
		select $3 || lpad(i::text, 22 - length($3), '0'), $1, $3 || i, array['forks:read'],
		  decode(repeat('00', 32), 'hex'),
		       timestamptz '2026-01-01' + make_interval(mins => i), 'p', 'P', $4, $5 from generate_series(1, $2) i`,
		ourOrganisation, n, prefix, expires, revoked)
}

// An organisation has at most MaxUsable usable keys, even when several requests want the last one.
func TestUsableKeysAreLimited(t *testing.T) {
	b := setup(t)
	past := time.Now().Add(-time.Hour)
	future := time.Now().Add(time.Hour)
	b.addKeys(apikeys.MaxUsable, "expired", &past, nil)
	b.addKeys(apikeys.MaxUsable, "revoked", nil, &past)
	b.addKeys(50, "expiring", &future, nil)
	b.addKeys(apikeys.MaxUsable-51, "lasting", nil, nil)
	errs := make([]error, 10)
	atOnce(len(errs), func(i int) {
		_, _, errs[i] = []*instance{
			b.keys, b.other,
		}[i%2].Create(b.ctx(), b.owner, apikeys.NewKey{Name: "n", Scopes: bothScopes}, request)
	})
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else {
			require.ErrorIs(t, err, apikeys.ErrTooMany)
		}
	}
	require.Equal(t, 1, made)
	require.Len(t, b.entries(audit.KeyCreated), 1)
	require.Contains(t, requireCode(t, apperr.AccessDenied, errs[indexOf(errs)]).Message,
		"Revoke one")

	// Another organisation has its own places, and what is revoked leaves one.
	_, _, err := b.keys.Create(b.ctx(), member(theirOrganisation, "owner", false),
		apikeys.NewKey{Name: "n", Scopes: bothScopes}, request)
	require.NoError(t, err)
	b.Exec(`update api_keys set revoked_at = now() where name = 'lasting7'`)
	b.newKey()
}

func indexOf(errs []error) int {
	for i, err := range errs {
		if err != nil {
			return i
		}
	}
	return 0
}

// List has all usable keys, however old, and the newest of the others; newest first.
func TestKeyListIsBounded(t *testing.T) {
	b := setup(t)
	past := time.Now().Add(-time.Hour)
	b.addKeys(10, "old", nil, nil)
	b.Exec(`update api_keys set created_at = created_at - interval '1 year'`)
	b.addKeys(600, "revoked", nil, &past)
	b.addKeys(600, "expired", &past, nil)
	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	require.Len(t, listed, apikeys.MaxListed)
	usable := 0
	for i, k := range listed {
		require.False(t, i > 0 && k.CreatedAt.After(listed[i-1].CreatedAt), "newest first")
		if k.State(time.Now(), org.PlanPro) == apikeys.Usable {
			usable++
		}
	}
	require.Equal(t, 10, usable)
	require.Equal(t, "old1", listed[len(listed)-1].Name)
	require.Equal(t, time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), listed[0].CreatedAt.UTC())
}

// An expiring key is announced: what ends within 30 days and the last quarter of its life, the
// soonest first.
func TestExpiringListsTheSoonestFirst(t *testing.T) {
	b := setup(t)
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	keys := b.instance(b.DB, func() time.Time { return now })
	day := 24 * time.Hour
	for name, in := range map[string]time.Duration{
		"passed": -time.Second,
		"now":    0,
		"first":  time.Millisecond,
		"second": time.Hour,
		"last":   30 * day,
		"later":  30*day + time.Millisecond,
	} {
		at := now.Add(in)
		b.addKeys(1, name, &at, nil)
	}
	soon := now.Add(time.Minute)
	b.addKeys(1, "revoked", &soon, &now)
	b.addKeys(1, "never", nil, nil)
	young := now.Add(20 * day)
	b.addKeys(1, "young", &young, nil)
	b.Exec(`update api_keys set created_at = $1 where name = 'young1'`, now)
	expiring, err := keys.Expiring(b.ctx(), b.owner)
	require.NoError(t, err)
	found := make([]string, 0, len(expiring))
	for _, k := range expiring {
		found = append(found, k.Name)
	}
	require.Equal(t, []string{"first1", "second1", "last1"}, found)
	theirs, err := keys.Expiring(b.ctx(), member(theirOrganisation, "owner", false))
	require.NoError(t, err)
	require.Empty(t, theirs)
	_, err = keys.Expiring(b.ctx(), member(ourOrganisation, "member", true))
	requireCode(t, apperr.AccessDenied, err)
}

// A key is announced in its last 30 days, and in the last quarter of its life where that is
// shorter.
func TestExpiresSoon(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct{ life, from time.Duration }{
		{day, 6 * time.Hour}, {30 * day, 7*day + 12*time.Hour}, {90 * day, 22*day + 12*time.Hour},
		{120 * day, 30 * day}, {365 * day, 30 * day},
	} {
		for left, want := range map[time.Duration]bool{
			c.life:     false,
			c.from + 1: false,
			c.from:     true,
			1:          true,
			0:          false,
			-1:         false,
		} {
			at := now.Add(left)
			k := apikeys.Key{CreatedAt: at.Add(-c.life), ExpiresAt: &at}
			require.Equal(t, want, k.ExpiresSoon(now), "of %s %s are left", c.life, left)
		}
	}
	require.False(t, apikeys.Key{CreatedAt: now}.ExpiresSoon(now), "it never expires")
}

// Nobody reads another organisation's key; a malformed id is an unknown id.
func TestForeignOrMalformedKeyIsNotFound(t *testing.T) {
	b := setup(t)
	made, token := b.newKey()
	key, err := b.keys.Key(b.ctx(), b.owner, made.ID)
	require.NoError(t, err)
	require.Equal(t, made, key)
	_, err = b.keys.Key(b.ctx(), member(theirOrganisation, "owner", false), made.ID)
	requireCode(t, apperr.NotFound, err)
	_, err = b.keys.Key(b.ctx(), member(ourOrganisation, "member", false), made.ID)
	requireCode(t, apperr.AccessDenied, err)
	for _, id := range []string{"", "x", token.String(), fmt.Sprintf("%022d", 0), "\x00"} {
		_, err = b.keys.Key(b.ctx(), b.owner, id)
		requireCode(t, apperr.NotFound, err)
	}
}
