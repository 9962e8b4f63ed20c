package apikeys_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

// rules.md, Keys: a revocation, expiry or change of plan holds on every instance for each request
// that starts after its commit, although both have just accepted the key.
func TestChangesTakeEffectOnTheNextRequestOnEveryInstance(t *testing.T) {
	b := setup(t)
	for range 17 {
		for reason, change := range map[audit.Reason]func(id string){
			audit.Revoked: func(id string) {
				require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, id, request))
			},
			audit.Expired: func(id string) {
				b.Exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, id)
			},
			audit.BelowPlan: func(string) { b.setPlan(org.PlanFree) },
		} {
			b.setPlan(org.PlanPro)
			key, token := b.newKey()
			require.Equal(t, 3, accepted(b.together(3, b.uses(token))))
			change(key.ID)
			before := len(b.entries(audit.KeyRefused))
			for _, err := range b.together(4, b.uses(token)) {
				requireCode(t, apperr.AuthRequired, err)
			}
			entries := b.entries(audit.KeyRefused)
			require.Len(t, entries, before+4)
			for _, e := range entries[:4] {
				require.Equal(t, reason, e.Reason)
			}
		}
	}
}

// rules.md, Rate limits: of 200 concurrent requests on two instances 120 are accepted.
func TestTwoInstancesShareTheRateLimit(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	var callers [200]apikeys.Caller
	errs := b.together(len(callers), func(i int, on *apikeys.Service) (err error) {
		callers[i], err = on.Authenticate(b.ctx(), token, requested)
		return err
	})
	left := map[int]bool{}
	for i, err := range errs {
		require.Equal(t, key.ID, callers[i].Actor.ID, "also above the limit")
		if err == nil {
			left[callers[i].RateLimit.Remaining] = true
			require.InDelta(t, 30, callers[i].RateLimit.Reset, 30)
			continue
		}
		e := requireCode(t, apperr.RateLimited, err)
		require.InDelta(t, 30.5, e.RetryAfter, 29.5)
		require.Equal(t, apikeys.RateLimit{Remaining: 0, Reset: e.RetryAfter}, callers[i].RateLimit)
	}
	require.Equal(t, 120, accepted(errs))
	require.Len(t, left, 120, "each has another number of remaining requests")
	require.True(t, left[0] && left[119])
	require.Equal(t, 1, b.Count(`audit_entries`), "only the creation is recorded")
}

// rules.md, Rate limits: of the refused requests 120 are recorded one by one, the others counted.
// They do not use up the key's limit.
func TestRejectedRequestsHaveTheirOwnLimit(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	refused := 0
	for _, err := range b.together(3_000, b.uses(guessed(token))) {
		if apperr.Is(err, apperr.AuthRequired) {
			refused++
			continue
		}
		require.InDelta(t, 30.5, requireCode(t, apperr.RateLimited, err).RetryAfter, 29.5)
	}
	require.Equal(t, 120, refused)
	require.Equal(t, 120, b.Count(`audit_entries where action = 'api_key.refused'`))
	require.Equal(t, 2_880, b.notRecorded())

	for range 3 {
		caller, err := b.keys.Authenticate(b.ctx(), guessed(token), requested)
		requireCode(t, apperr.RateLimited, err)
		require.Zero(t, caller, "a wrong secret learns nothing of the key")
		requireCode(t, apperr.RateLimited, b.useOutside(token.ID))
	}
	require.Equal(t, 2_886, b.notRecorded())
	for i := range 120 {
		require.Equal(t, 119-i, b.accept(token).RateLimit.Remaining, "of the key's owner")
	}
	e := requireCode(t, apperr.RateLimited, b.use(token))
	require.Equal(t, fmt.Sprintf("Rate limit exceeded: 120 requests in 60 seconds. "+
		"Retry in %d seconds.", e.RetryAfter), e.Message)
	require.Equal(t, 2_886, b.notRecorded(), "a request above the key's limit is no refused use")
}

// notRecorded returns how many refusals are counted.
func (b *bundle) notRecorded() int {
	b.t.Helper()
	return testkit.One[int](b.World, `select coalesce(sum(refusals), 0)::int from audit_refusals`)
}
