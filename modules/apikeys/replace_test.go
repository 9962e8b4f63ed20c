package apikeys_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
)

const week = 7 * 24 * time.Hour

func successor(key apikeys.Key, overlap time.Duration) apikeys.NewKey {
	ends := time.Now().Add(60 * 24 * time.Hour)
	return apikeys.NewKey{
		Name: "Successor", Scopes: bothScopes, ExpiresAt: &ends,
		Replaces: key.ID, Overlap: overlap,
	}
}

func (b *bundle) replace(
	key apikeys.Key, overlap time.Duration,
) (apikeys.Key, apikeys.Token, error) {
	return b.keys.Create(b.t.Context(), b.owner, successor(key, overlap), request)
}

// rules.md, Keys: the old key works on every instance until the end of the overlap, or its expiry if
// that is earlier.
func TestReplacedKeyWorksUntilItsInstant(t *testing.T) {
	b := setup(t)
	for _, choice := range apikeys.Overlaps {
		overlap := choice.Duration
		old, token := b.newKey()
		made, newToken, err := b.replace(old, overlap)
		require.NoError(t, err)
		require.Equal(t, old.ID, made.Replaces)
		require.WithinDuration(t, time.Now().Add(overlap), *b.instant("revoked_at", old),
			time.Minute)

		usable := func(_ int, on *apikeys.Service) error {
			if err := b.stillUsable(ourOrganisation, old.ID); err != nil {
				return err
			}
			_, err := on.Authenticate(b.t.Context(), token, requested)
			return err
		}
		b.accept(newToken)
		require.Equal(t, overlap > 0, accepted(b.together(2, usable)) == 2, "%s", overlap)
		// The column rounds to whole milliseconds: it may lie half of one ahead.
		b.Exec(`update api_keys set revoked_at = clock_timestamp()
			where id = $1 and revoked_at > clock_timestamp()`, old.ID)
		b.Exec(`select pg_sleep(0.001)`)
		require.Zero(t, accepted(b.together(2, usable)))
		require.Regexp(t, `^This API key was revoked on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\. `,
			requireCode(t, apperr.AuthRequired, b.use(token)).Message)
	}
	old, _ := b.newKey()
	b.Exec(`update api_keys set expires_at = now() + interval '5 h' where id = $1`, old.ID)
	_, _, err := b.replace(old, week)
	require.NoError(t, err)
	require.Equal(t, b.instant("expires_at", old), b.instant("revoked_at", old))
}

// Only a usable key is replaced, and by the rules of creation.
func TestReplacementFollowsTheRulesOfCreation(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	past := time.Now().Add(-time.Hour)
	b.addKeys(1, "expired", &past, nil)
	b.addKeys(1, "revoked", nil, &past)
	for _, id := range []string{"expired000000000000001", "revoked000000000000001"} {
		_, _, err := b.replace(apikeys.Key{ID: id}, 0)
		require.ErrorIs(t, err, apikeys.ErrNotReplaceable)
	}
	for _, overlap := range []time.Duration{-1, time.Second, 2 * week} {
		_, _, err := b.replace(key, overlap)
		require.Equal(t, "overlap", requireCode(t, apperr.Validation, err).Field)
	}
	b.setPlan(org.PlanTeam)
	_, _, err := b.replace(key, 0)
	require.Contains(t, requireCode(t, apperr.AccessDenied, err).Message, "Pro and Enterprise")
	require.Nil(t, b.instant("revoked_at", key))
	require.Equal(t, 3, b.Count(`api_keys`))
	b.setPlan(org.PlanPro)

	// Both keys count during an overlap, so the last place only allows an immediate replacement.
	b.addKeys(apikeys.MaxUsable-1, "lasting", nil, nil)
	_, _, err = b.replace(key, time.Hour)
	require.ErrorIs(t, err, apikeys.ErrTooMany)
	_, _, err = b.replace(key, 0)
	require.NoError(t, err)
	_, _, err = b.create(b.owner)
	require.ErrorIs(t, err, apikeys.ErrTooMany)
}

// A key that is replaced many times at once on two instances has one successor, and one answer has
// its secret.
func TestKeyIsReplacedOnce(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	var tokens [10]apikeys.Token
	errs := b.together(len(tokens), func(i int, on *apikeys.Service) (err error) {
		_, tokens[i], err = on.Create(b.t.Context(), b.owner, successor(key, time.Hour), request)
		return err
	})
	require.Equal(t, 1, accepted(errs))
	for i, err := range errs {
		require.Equal(t, errors.Is(err, apikeys.ErrNotReplaceable), tokens[i] == apikeys.Token{})
	}
	require.Equal(t, 2, b.Count(`api_keys`))
	require.Len(t, b.entries(audit.KeyReplaced), 1)
}

// rules.md, Keys: from 30 days before, a caller is told the earlier of expiry and coming revocation.
func TestCallerIsToldWhenItsKeyEnds(t *testing.T) {
	b := setup(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	b.keys = b.instance(b.DB, func() time.Time { return now })
	const days30 = 30 * 24 * time.Hour
	for _, c := range []struct{ expires, revoked, want time.Duration }{ // from now; 0: never
		{0, 0, 0},
		{days30, 0, days30},
		{days30 + time.Millisecond, 0, 0},
		{time.Hour, 0, time.Hour},
		{0, time.Hour, time.Hour},
		{2 * time.Hour, time.Hour, time.Hour},
		{time.Hour, 2 * time.Hour, time.Hour},
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
