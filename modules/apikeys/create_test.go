package apikeys_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// Owners, and admins with two-step verification, create, replace and rename keys. Any owner or admin lists and revokes.
func TestOnlyOwnersAndAdminsManageKeys(t *testing.T) {
	b, _, token := setupKey(t)
	for _, c := range []struct {
		actor            apikeys.Actor
		creates, revokes bool
	}{
		{member(ourOrganisation, "owner", false), true, true},
		{member(ourOrganisation, "admin", true), true, true},
		{member(ourOrganisation, "admin", false), false, true},
		{member(ourOrganisation, "member", true), false, false},
		{member(ourOrganisation, "superuser", true), false, false},
		{member("", "owner", true), false, false},
		{apikeys.Actor{Subject: b.accept(token).Subject}, false, false},
	} {
		for _, plan := range []org.Plan{org.PlanFree, org.PlanTeam, org.PlanPro, org.PlanEnterprise} {
			b.setPlan(org.PlanPro)
			key, _ := b.newKey()
			b.setPlan(plan)
			changes := b.changes(c.actor, key)
			listed, listErr := b.service.List(b.t.Context(), c.actor)
			require.Equal(t, c.revokes, len(listed) == b.CountRows(`api_keys`))
			_, usageErr := b.service.UsageOf(b.t.Context(), c.actor, nil)
			creates := c.creates && (plan == org.PlanPro || plan == org.PlanEnterprise)
			for _, attempt := range []struct {
				err     error
				allowed bool
			}{
				{changes["create"](), creates}, {changes["replace"](), creates}, {changes["rename"](), c.creates},
				{listErr, c.revokes}, {usageErr, c.revokes}, {changes["revoke"](), c.revokes},
			} {
				require.Equal(t, attempt.allowed, attempt.err == nil, "%+v %s: %v", c, plan, attempt.err)
				require.Equal(t, !attempt.allowed, apperr.Is(attempt.err, apperr.AccessDenied), "%v", attempt.err)
			}
			require.Equal(t, c.creates, b.CountRows(`api_keys where id = $1 and name = 'new'`, key.ID) == 1)
			revokedAt := b.readInstant("revoked_at", key)
			require.Equal(t, c.revokes, revokedAt != nil && revokedAt.Before(time.Now()), "in its overlap")
		}
	}
}

// Name and scopes are required. An expiry must lie in the future. Rename checks its label by the same rules.
func TestNewKeyIsValidated(t *testing.T) {
	b := setup(t)
	now := time.Date(2026, 3, 1, 9, 30, 0, 123_000_000, time.UTC)
	instance := b.newInstance(b.DB, func() time.Time { return now })
	key, token := b.newKey()
	with := func(name, description string) apikeys.NewKey {
		return apikeys.NewKey{Name: name, Description: description, Scopes: bothScopes}
	}
	scoped := func(scopes ...apikeys.Scope) apikeys.NewKey { return apikeys.NewKey{Name: "w", Scopes: scopes} }
	expiring := func(after time.Duration) apikeys.NewKey {
		return apikeys.NewKey{Name: "w", Scopes: bothScopes, ExpiresAt: new(now.Add(after))}
	}
	for field, inputs := range map[string][]apikeys.NewKey{
		"": { // valid input
			with(strings.Repeat("é", 200), strings.Repeat("é", 200)), with(`<b>'"; drop`, apikeys.Mask(key.ID)),
			scoped(apikeys.ForksRead), scoped(apikeys.ReportsRead, apikeys.ForksRead), expiring(time.Millisecond),
		},
		"name": {with("\u3000", ""), with(strings.Repeat("n", 201), ""), with("a\nb", ""), with(token.String(), "")},
		"description": {
			with("w", strings.Repeat("d", 201)), with("w", "a\nb"), with("w", "\u200b"), with("w", token.String()),
		},
		"scopes": {scoped(), scoped("forks:write"), scoped(apikeys.ForksRead, apikeys.ForksRead)},
		"expiresAt": {
			expiring(0), expiring(500 * time.Microsecond), {Name: "w", Scopes: bothScopes, ExpiresAt: &time.Time{}},
		},
	} {
		for _, newKey := range inputs {
			_, token, err := instance.Create(b.t.Context(), b.owner, newKey, request)
			if field == "" {
				require.NoError(t, err, "%+v", newKey)
				continue
			}
			require.Equal(t, field, requireCode(t, apperr.Validation, err).Field, "%+v", newKey)
			require.Zero(t, token)
			if field == "name" || field == "description" {
				label := apikeys.Label{Name: newKey.Name, Description: newKey.Description}
				err := instance.Rename(b.t.Context(), b.owner, key.ID, apikeys.Label{}, label, request)
				require.Equal(t, field, requireCode(t, apperr.Validation, err).Field, "%+v", newKey)
			}
		}
	}
	require.Equal(t, 6, b.CountRows(`api_keys`), "the first and those of valid input")
}

// org/doc.go: creating, replacing or renaming a key locks the actor's role and two-step verification against changes.
func TestActorWhoLosesPermissionChangesNoKey(t *testing.T) {
	b, key, _ := setupKey(t)
	admin := member(ourOrganisation, "admin", true)
	changes := b.changes(admin, key)
	for _, lose := range []string{
		`update users set totp_secret = null where id = $1`,
		`update memberships set role = 'member' where user_id = $1`,
		`delete from memberships where user_id = $1`,
	} {
		for _, name := range []string{"create", "replace", "rename"} {
			requireCode(t, apperr.AccessDenied, b.WhileWaiting(b.Begin(lose, admin.ID), changes[name], nil))
			if !strings.Contains(lose, "totp") { // revocation does not require two-step verification
				requireCode(t, apperr.AccessDenied, changes["revoke"]())
			}
			b.Exec(`update users set totp_secret = 'x' where id = $1`, admin.ID)
			b.Exec(`delete from memberships where user_id = $1`, admin.ID)
			b.Join(ourOrganisation, admin.ID, "admin")
		}
		require.Equal(t, 1, b.CountRows(`audit_entries`), lose) // the entry of the key's creation
	}
}

// rules.md, Formats: timestamps are truncated to the millisecond. The list shows what Create returned.
func TestNewKeyIsListedAsCreated(t *testing.T) {
	b := setup(t)
	now := time.Date(2026, 3, 1, 9, 30, 0, 999_999_999, time.UTC)
	instance := b.newInstance(b.DB, func() time.Time { return now })
	expires := time.Date(2199, 12, 31, 23, 59, 59, 999_999_999, time.FixedZone("", -3600))
	created, _ := tb.Must2(instance.Create(b.t.Context(), b.owner,
		apikeys.NewKey{Name: "Entrepôt", Scopes: bothScopes, ExpiresAt: &expires}, request))(t)
	require.Equal(t, time.Date(2026, 3, 1, 9, 30, 0, 999_000_000, time.UTC), created.CreatedAt)
	require.Equal(t, time.Date(2200, 1, 1, 0, 59, 59, 999_000_000, time.UTC), *created.ExpiresAt)
	require.Equal(t, []apikeys.Key{created}, b.listKeys())
}

// An organisation has at most MaxUsable usable keys, even if requests race to create the last one.
func TestUsableKeysAreLimited(t *testing.T) {
	b := setup(t)
	past := time.Now().Add(-time.Hour)
	future := time.Now().Add(time.Hour)
	b.insertKeys(apikeys.MaxUsable, "expired", &past, nil)
	b.insertKeys(apikeys.MaxUsable, "revoked", nil, &past)
	b.insertKeys(50, "expiring", &future, nil)
	b.insertKeys(apikeys.MaxUsable-51, "lasting", nil, nil)
	errs := b.concurrently(10, func(_ int, service *apikeys.Service) error {
		return tb.ErrorOf2(service.Create(t.Context(), b.owner, apikeys.NewKey{Name: "n", Scopes: bothScopes}, request))
	})
	require.Equal(t, 1, countAccepted(errs))
	for _, err := range errs { // on a busy machine a request may time out waiting for the lock
		require.True(t, err == nil || errors.Is(err, apikeys.ErrTooMany) || postgres.IsUnavailable(err), "%v", err)
	}
	require.Contains(t, apikeys.ErrTooMany.Message, "Revoke one")
	require.Len(t, b.entries(audit.KeyCreated), 1)

	// each organisation has a limit of its own, and a revocation makes room; the first failure is returned
	require.ErrorContains(t, tb.ErrorOf2(b.create(member("no uuid", "owner", false))), "22P02")
	require.NoError(t, tb.ErrorOf2(b.create(member(theirOrganisation, "owner", false))))
	b.Exec(`update api_keys set revoked_at = now() where name = 'lasting7'`)
	b.newKey()
}

// A form that is sent twice, even concurrently, creates one key. The second response is ErrAlreadyCreated.
func TestFormSentTwiceCreatesOneKey(t *testing.T) {
	b, old, _ := setupKey(t)
	newKey := apikeys.NewKey{
		ID: apikeys.NewID(), Name: "Next", Scopes: []apikeys.Scope{apikeys.ForksRead}, Replaces: old.ID,
	}
	create := func(_ int, instance *apikeys.Service) error {
		return tb.ErrorOf2(instance.Create(t.Context(), b.owner, newKey, request))
	}
	tx := b.Begin(`select pg_advisory_xact_lock(hashtextextended('api_keys ' || $1, 0))`, ourOrganisation)
	err := b.WhileWaiting(tx, func() error { return errors.Join(b.concurrently(2, create)...) }, func() {
		require.Eventually(t, func() bool {
			return b.CountRows(`pg_stat_activity join pg_locks using (pid)
				where datname = current_database() and not granted`) == 2
		}, 10*time.Second, time.Millisecond)
	})
	require.EqualError(t, err, apikeys.ErrAlreadyCreated.Error(), "the other one is created")
}

const week = 7 * 24 * time.Hour

func successor(key apikeys.Key, overlap time.Duration) apikeys.NewKey {
	return apikeys.NewKey{Name: "Successor", Scopes: bothScopes, Replaces: key.ID, Overlap: overlap,
		ExpiresAt: new(time.Now().Add(60 * 24 * time.Hour))}
}

// changes returns functions that create, replace, rename and revoke a key as the actor.
func (b *fixture) changes(actor apikeys.Actor, key apikeys.Key) map[string]func() error {
	createFunc := func(newKey apikeys.NewKey) func() error {
		return func() error {
			_, token, err := b.service.Create(b.t.Context(), actor, newKey, request)
			require.Equal(b.t, err != nil, token == apikeys.Token{}, "no token without its key")
			return err
		}
	}
	return map[string]func() error{
		"create":  createFunc(apikeys.NewKey{Name: "n", Scopes: bothScopes}),
		"replace": createFunc(successor(key, week)),
		"rename": func() error {
			return b.service.Rename(b.t.Context(), actor, key.ID, apikeys.Label{}, apikeys.Label{Name: "new"}, request)
		},
		"revoke": func() error { return b.service.Revoke(b.t.Context(), actor, key.ID, request) },
	}
}

func (b *fixture) replace(key apikeys.Key, overlap time.Duration) (apikeys.Key, apikeys.Token, error) {
	return b.service.Create(b.t.Context(), b.owner, successor(key, overlap), request)
}

// rules.md, Keys: the old key works on every instance until the end of the overlap, or its expiry if that is earlier.
func TestReplacedKeyWorksUntilTheOverlapEnds(t *testing.T) {
	b := setup(t)
	for _, choice := range apikeys.Overlaps {
		overlap := choice.Duration
		oldKey, token := b.newKey()
		created, newToken := tb.Must2(b.replace(oldKey, overlap))(t)
		useOldKey := func(_ int, instance *apikeys.Service) error {
			return errors.Join(b.checkUsable(ourOrganisation, oldKey.ID), b.useFunc(token)(0, instance))
		}
		t.Run(overlap.String()+": the new key names the old one and works", func(t *testing.T) {
			require.Equal(t, oldKey.ID, created.Replaces)
			b.accept(newToken)
		})
		t.Run(overlap.String()+": the old key works during the overlap", func(t *testing.T) {
			require.WithinDuration(t, time.Now().Add(overlap), *b.readInstant("revoked_at", oldKey), time.Minute)
			require.Equal(t, overlap > 0, countAccepted(b.concurrently(2, useOldKey)) == 2)
		})
		t.Run(overlap.String()+": the old key is refused after it", func(t *testing.T) {
			// The column rounds to whole milliseconds, so it may be half a millisecond ahead.
			b.Exec(`update api_keys set revoked_at = clock_timestamp()
				where id = $1 and revoked_at > clock_timestamp()`, oldKey.ID)
			b.Exec(`select pg_sleep(0.001)`)
			require.Zero(t, countAccepted(b.concurrently(2, useOldKey)))
			require.Regexp(t, `^This API key was revoked on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\. `,
				requireCode(t, apperr.AuthRequired, b.use(token)).Message)
		})
	}
	oldKey, _ := b.newKey()
	t.Run("an earlier expiry ends the overlap", func(t *testing.T) {
		b.Exec(`update api_keys set expires_at = now() + interval '5 h' where id = $1`, oldKey.ID)
		require.NoError(t, tb.ErrorOf2(b.replace(oldKey, week)))
		require.Equal(t, b.readInstant("expires_at", oldKey), b.readInstant("revoked_at", oldKey))
	})
	t.Run("a key is replaced once", func(t *testing.T) {
		require.ErrorIs(t, tb.ErrorOf2(b.replace(oldKey, week)), apikeys.ErrNotReplaceable, "in its overlap")
	})
}

// Only a usable key can be replaced. The rules of creation apply to the new key.
func TestReplacementFollowsTheRulesOfCreation(t *testing.T) {
	b, key, _ := setupKey(t)
	past := time.Now().Add(-time.Hour)
	b.insertKeys(1, "expired", &past, nil)
	b.insertKeys(1, "revoked", nil, &past)
	for _, id := range []string{"expired000000000000001", "revoked000000000000001"} {
		require.ErrorIs(t, tb.ErrorOf2(b.replace(apikeys.Key{ID: id}, 0)), apikeys.ErrNotReplaceable)
	}
	for _, overlap := range []time.Duration{-1, time.Second, 2 * week} {
		require.Equal(t, "overlap", requireCode(t, apperr.Validation, tb.ErrorOf2(b.replace(key, overlap))).Field)
	}
	b.setPlan(org.PlanTeam)
	belowPlan := requireCode(t, apperr.AccessDenied, tb.ErrorOf2(b.replace(key, 0)))
	require.Contains(t, belowPlan.Message, "Pro and Enterprise")
	require.Nil(t, b.readInstant("revoked_at", key))
	require.Equal(t, 3, b.CountRows(`api_keys`))
	b.setPlan(org.PlanPro)

	// Both keys count during an overlap, so at MaxUsable only an immediate replacement is allowed.
	b.insertKeys(apikeys.MaxUsable-1, "lasting", nil, nil)
	require.ErrorIs(t, tb.ErrorOf2(b.replace(key, time.Hour)), apikeys.ErrTooMany)
	require.NoError(t, tb.ErrorOf2(b.replace(key, 0)))
	require.ErrorIs(t, tb.ErrorOf2(b.replace(key, 0)), apikeys.ErrNotReplaceable)
	require.ErrorIs(t, tb.ErrorOf2(b.create(b.owner)), apikeys.ErrTooMany)
}

// rules.md, Keys: from 30 days before a key ends, callers see the earlier of expiry and revocation.
func TestCallerIsToldWhenItsKeyEnds(t *testing.T) {
	b := setup(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	b.service = b.newInstance(b.DB, func() time.Time { return now })
	const days30 = 30 * 24 * time.Hour
	for _, c := range []struct{ expires, revoked, want time.Duration }{ // from now; 0: none
		{0, 0, 0}, {days30, 0, days30}, {days30 + time.Millisecond, 0, 0}, {time.Hour, 0, time.Hour},
		{0, time.Hour, time.Hour}, {2 * time.Hour, time.Hour, time.Hour}, {time.Hour, 2 * time.Hour, time.Hour},
		{10 * days30, week, week},
	} {
		key, token := b.newKey()
		b.Exec(`update api_keys set expires_at = $2::timestamptz + nullif($3::bigint, 0) * interval '1 ms',
			revoked_at = $2::timestamptz + nullif($4::bigint, 0) * interval '1 ms' where id = $1`,
			key.ID, now, c.expires.Milliseconds(), c.revoked.Milliseconds())
		notice := b.accept(token).ExpiryNotice
		require.Equal(t, c.want != 0, notice != nil, "%+v", c)
		require.True(t, notice == nil || notice.Sub(now) == c.want, "%+v: %v", c, notice)
	}
}
