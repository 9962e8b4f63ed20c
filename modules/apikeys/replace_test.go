package apikeys_test

import (
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

const (
	week       = 7 * 24 * time.Hour
	revocation = `select revoked_at from api_keys where id = $1`
)

func (b *bundle) replace(key apikeys.Key, overlap time.Duration) (apikeys.Replaced, error) {
	return b.keys.Replace(b.ctx(), b.owner, key.ID, apikeys.Replacement{Overlap: overlap}, request)
}

// stopsNow moves a coming revocation to now. The column rounds to whole milliseconds: it may lie
// half of one ahead, which is waited for.
func (b *bundle) stopsNow(key apikeys.Key) {
	b.t.Helper()
	b.Exec(`update api_keys set revoked_at = clock_timestamp() where id = $1`, key.ID)
	b.Exec(`select pg_sleep(0.001)`)
}

// rules.md, Keys: a successor has the name, description, scopes and expiry. The old key works until
// its instant on every instance, and is never called revoked before it.
func TestReplacedKeyWorksUntilItsInstant(t *testing.T) {
	b := setup(t)
	ends := time.Now().Add(90 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	for _, overlap := range apikeys.Overlaps {
		old, token, err := b.keys.Create(b.ctx(), b.owner, apikeys.NewKey{
			Name:        "BI",
			Description: "For Ann",
			Scopes:      bothScopes,
			ExpiresAt:   &ends,
		}, request)
		require.NoError(t, err)
		done, err := b.replace(old, overlap)
		require.NoError(t, err)
		require.Equal(t, done.New.ID, done.Token.ID)
		require.NotEqual(t, old.ID, done.New.ID)
		require.Equal(t, []any{old.Name, old.Description, old.Scopes, old.ExpiresAt},
			[]any{done.New.Name, done.New.Description, done.New.Scopes, done.New.ExpiresAt})
		require.WithinDuration(t, time.Now().Add(overlap), *done.Old.RevokedAt, time.Minute)
		stored, err := b.other.Key(b.ctx(), b.owner, old.ID)
		require.NoError(t, err)
		require.True(t, done.Old.RevokedAt.Equal(*stored.RevokedAt))

		for _, instance := range []*instance{b.keys, b.other} {
			_, err = instance.Authenticate(b.ctx(), done.Token, request)
			require.NoError(t, err)
			_, err = instance.Authenticate(b.ctx(), token, request)
			require.Equal(t, overlap > 0, err == nil, "%s: %v", overlap, err)
			require.Equal(t, overlap > 0,
				instance.StillUsable(b.ctx(), ourOrganisation, old.ID) == nil)
		}
		if overlap == 0 {
			continue
		}
		b.stopsNow(old)
		for _, instance := range []*instance{b.keys, b.other} {
			_, err = instance.Authenticate(b.ctx(), token, request)
			require.Contains(t, requireCode(t, apperr.AuthRequired, err).Message, "was revoked on")
			requireCode(t, apperr.AuthRequired,
				instance.StillUsable(b.ctx(), ourOrganisation, old.ID))
		}
	}
}

// A key that expires within the overlap stops then, and is said to.
func TestReplacedKeyStopsAtItsExpiryAtTheLatest(t *testing.T) {
	b := setup(t)
	ends := time.Now().Add(5 * time.Hour).UTC().Truncate(time.Millisecond)
	old, _, err := b.keys.Create(b.ctx(), b.owner,
		apikeys.NewKey{Name: "BI", Scopes: bothScopes, ExpiresAt: &ends}, request)
	require.NoError(t, err)
	done, err := b.replace(old, week)
	require.NoError(t, err)
	require.True(t, ends.Equal(*done.Old.RevokedAt), "%s", done.Old.RevokedAt)
}

// rules.md, Audit log: a replacement is one entry, which names both keys.
func TestReplacementIsOneEntry(t *testing.T) {
	b := setup(t)
	old, _ := b.newKey()
	before := b.logged()
	done, err := b.replace(old, time.Hour)
	require.NoError(t, err)
	require.Equal(t, before+1, b.logged())
	entry := b.entries(audit.KeyReplaced)[0]
	require.Equal(t, audit.Target{Kind: "api_key", ID: old.ID}, entry.Target)
	require.Equal(t, map[string]any{
		"replacement": done.New.ID,
		"stopsAt":     done.Old.RevokedAt.UTC().Format("2006-01-02T15:04:05.000Z"),
	}, entry.Details)
	require.Equal(t, b.owner.ID, entry.Actor.ID)
	require.Equal(t, request, entry.Request)

	another, _ := b.newKey()
	b.breakLog()
	_, err = b.replace(another, 0)
	require.Error(t, err, "it commits with its entry")
	require.Nil(t, fixtures.One[*time.Time](b.Database, revocation, another.ID))
	require.Equal(t, 3, fixtures.One[int](b.Database, `select count(*) from api_keys`))
}

// rules.md, Keys: who may create a key may replace one. Whoever may revoke may finish early, and
// nobody can put the end off.
func TestWhoReplacesAndWhoFinishesEarly(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		role              string
		twoStep           bool
		replaces, revokes bool
	}{
		{"owner", false, true, true}, {"admin", true, true, true}, {"admin", false, false, true},
		{"member", true, false, false},
	} {
		actor := member(ourOrganisation, c.role, c.twoStep)
		key, token := b.newKey()
		done, err := b.keys.Replace(b.ctx(), actor, key.ID, apikeys.Replacement{Overlap: week},
			request)
		require.Equal(t, c.replaces, err == nil, "%+v: %v", c, err)
		if !c.replaces {
			requireCode(t, apperr.AccessDenied, err)
			require.Zero(t, done)
			done, err = b.replace(key, week)
			require.NoError(t, err)
		}
		_, err = b.replace(key, week)
		require.ErrorIs(t, err, apikeys.ErrNotReplaceable, "a second time")
		err = b.other.Revoke(b.ctx(), actor, key.ID, request)
		require.Equal(t, c.revokes, err == nil, "%+v: %v", c, err)
		_, err = b.keys.Authenticate(b.ctx(), token, request)
		require.Equal(t, c.revokes, err != nil, "finished early")
		require.Equal(t, c.revokes,
			fixtures.One[time.Time](b.Database, revocation, key.ID).Before(*done.Old.RevokedAt))
		require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, done.New.ID, request))
	}
	require.Len(t, b.entries(audit.KeyRevoked), 3+4)
}

// Nothing is replaced that is not the organisation's, does not work any more, or would break the
// rules of creation.
func TestReplacementFollowsTheRulesOfCreation(t *testing.T) {
	b := setup(t)
	theirs, _, err := b.keys.Create(b.ctx(), member(theirOrganisation, "owner", true),
		apikeys.NewKey{Name: "theirs", Scopes: bothScopes}, request)
	require.NoError(t, err)
	key, _ := b.newKey()
	past := time.Now().Add(-time.Hour)
	b.addKeys(1, "expired", &past, nil)
	b.addKeys(1, "revoked", nil, &past)
	before := fixtures.One[int](b.Database, `select count(*) from api_keys`)
	for id, want := range map[string]apperr.Code{
		theirs.ID:                apperr.NotFound,
		"x":                      apperr.NotFound,
		"\x00":                   apperr.NotFound,
		"expired000000000000001": apperr.AccessDenied,
		"revoked000000000000001": apperr.AccessDenied,
	} {
		_, err := b.keys.Replace(b.ctx(), b.owner, id, apikeys.Replacement{}, request)
		requireCode(t, want, err)
	}
	for _, overlap := range []time.Duration{-1, time.Second, 2 * week} {
		_, err := b.replace(key, overlap)
		require.Equal(t, "overlap", requireCode(t, apperr.Validation, err).Field)
	}
	b.setPlan(org.PlanTeam)
	_, err = b.replace(key, 0)
	require.Contains(t, requireCode(t, apperr.AccessDenied, err).Message, "Pro and Enterprise")
	require.Nil(t, fixtures.One[*time.Time](b.Database, revocation, key.ID))
	require.Equal(t, before, fixtures.One[int](b.Database, `select count(*) from api_keys`))
	b.setPlan(org.PlanPro)

	// The maximum holds meanwhile: with one more usable key there is no place for an overlap, but
	// for a change at once.
	b.addKeys(apikeys.MaxUsable-1, "lasting", nil, nil)
	_, err = b.replace(key, time.Hour)
	require.ErrorIs(t, err, apikeys.ErrTooMany)
	done, err := b.replace(key, 0)
	require.NoError(t, err)
	require.Equal(t, key.Name, done.New.Name)
	_, _, err = b.keys.Create(b.ctx(), b.owner, apikeys.NewKey{Name: "n", Scopes: bothScopes},
		request)
	require.ErrorIs(t, err, apikeys.ErrTooMany)
}

// Replaced many times at once on two instances, one key has one successor; one form has one answer
// with a secret.
func TestKeyIsReplacedOnce(t *testing.T) {
	b := setup(t)
	for name, form := range map[string]func() string{
		"forms of many people": uuid.NewString, "one form": sync.OnceValue(uuid.NewString),
	} {
		key, _ := b.newKey()
		before := fixtures.One[int](b.Database, `select count(*) from api_keys`)
		const n = 10
		all := make([]apikeys.Replaced, n)
		errs := make([]error, n)
		atOnce(n, func(i int) {
			all[i], errs[i] = []*instance{
				b.keys, b.other,
			}[i%2].Replace(b.ctx(), b.owner, key.ID,
				apikeys.Replacement{Overlap: time.Hour, IdempotencyKey: form()}, request)
		})
		made := 0
		for i, err := range errs {
			if err == nil {
				made++
				continue
			}
			require.Zero(t, all[i].Token)
			if name == "one form" {
				require.ErrorIs(t, err, apikeys.ErrAlreadyCreated)
				require.NotEmpty(t, all[i].New.ID)
			} else {
				require.ErrorIs(t, err, apikeys.ErrNotReplaceable)
			}
		}
		require.Equal(t, 1, made, name)
		require.Equal(t, before+1, fixtures.One[int](b.Database, `select count(*) from api_keys`),
			name)
	}
	require.Len(t, b.entries(audit.KeyReplaced), 2)
}

// Replaced and revoked at once, a key ends revoked at once, with or without a successor: whatever
// comes first, the revocation holds.
func TestRevocationWinsOverReplacement(t *testing.T) {
	b := setup(t)
	for range 15 {
		key, token := b.newKey()
		var replaced, revoked error
		atOnce(2, func(i int) {
			if i == 0 {
				_, replaced = b.keys.Replace(b.ctx(), b.owner, key.ID,
					apikeys.Replacement{Overlap: week}, request)
			} else {
				revoked = b.other.Revoke(b.ctx(), b.owner, key.ID, request)
			}
		})
		require.NoError(t, revoked)
		if replaced != nil {
			require.ErrorIs(t, replaced, apikeys.ErrNotReplaceable)
		}
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		requireCode(t, apperr.AuthRequired, err)
	}
}

// rules.md, Keys: last use moves while a replaced key still works, and never after its revocation.
func TestLastUseOfReplacedKey(t *testing.T) {
	b := setup(t)
	const lastUse = `select last_used_at from api_keys where id = $1`
	key, token := b.newKey()
	_, err := b.replace(key, time.Hour)
	require.NoError(t, err)
	_, err = b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	require.NotNil(t, fixtures.One[*time.Time](b.Database, lastUse, key.ID))

	stopped, token := b.newKey()
	_, err = b.replace(stopped, time.Hour)
	require.NoError(t, err)
	b.stopsNow(stopped)
	_, err = b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.AuthRequired, err)
	require.Nil(t, fixtures.One[*time.Time](b.Database, lastUse, stopped.ID))
}

// rules.md, Keys: a caller is told when its key ends, from 30 days before: the earlier of expiry
// and coming revocation.
func TestCallerIsToldWhenItsKeyEnds(t *testing.T) {
	b := setup(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	keys := b.instance(b.DB, func() time.Time { return now })
	in := func(d time.Duration) *time.Time {
		at := now.Add(d)
		return &at
	}
	const days30 = 30 * 24 * time.Hour
	for name, c := range map[string]struct{ expires, revoked, want *time.Time }{
		"never":                    {nil, nil, nil},
		"in 30 days":               {in(days30), nil, in(days30)},
		"later":                    {in(days30 + time.Millisecond), nil, nil},
		"soon":                     {in(time.Hour), nil, in(time.Hour)},
		"replaced":                 {nil, in(time.Hour), in(time.Hour)},
		"replaced, expires later":  {in(2 * time.Hour), in(time.Hour), in(time.Hour)},
		"replaced, expires sooner": {in(time.Hour), in(2 * time.Hour), in(time.Hour)},
		"replaced, long before":    {in(10 * days30), in(week), in(week)},
	} {
		key, token := b.newKey()
		b.Exec(`update api_keys set expires_at = $2, revoked_at = $3 where id = $1`, key.ID,
			c.expires, c.revoked)
		caller, err := keys.Authenticate(b.ctx(), token, request)
		require.NoError(t, err, name)
		if c.want == nil {
			require.Nil(t, caller.ExpiryNotice, name)
			continue
		}
		require.NotNil(t, caller.ExpiryNotice, name)
		require.True(t, c.want.Equal(*caller.ExpiryNotice), "%s: %s", name, caller.ExpiryNotice)
	}
}
