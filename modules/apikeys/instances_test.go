package apikeys_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
)

// Decisions, "Keys": a revocation, an expiry or a change of plan takes effect on every instance for each request that
// starts after it was committed. Fifty rounds; in each the other instance has just accepted the key.
func TestChangesAreSeenByTheNextRequestEverywhere(t *testing.T) {
	b := setup(t)
	changes := []struct {
		reason audit.Reason
		change func(id string)
	}{
		{audit.Revoked, func(id string) { require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, id, request)) }},
		{audit.Expired, func(id string) { b.exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, id) }},
		{audit.BelowPlan, func(string) { b.setPlan(org.PlanTeam) }},
	}
	for round := range 50 {
		c := changes[round%len(changes)]
		b.setPlan(org.PlanPro)
		key, token := b.newKey()
		for _, instance := range []*apikeys.Service{b.other, b.keys, b.other} {
			_, err := instance.Authenticate(b.ctx(), token, request)
			require.NoError(t, err)
		}
		c.change(key.ID)

		before := len(b.entries(audit.KeyRefused))
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				_, err := []*apikeys.Service{b.other, b.keys}[i%2].Authenticate(b.ctx(), token, request)
				if !apperr.Is(err, apperr.AuthRequired) {
					t.Errorf("round %d, %s: %v", round, c.reason, err)
				}
			})
		}
		wait.Wait()
		entries := b.entries(audit.KeyRefused)
		require.Len(t, entries, before+4)
		for _, e := range entries[:4] {
			require.Equal(t, c.reason, e.Reason)
		}
	}
}

// The same while requests of the key are running all the time: none that starts after Revoke has returned is accepted.
func TestRevocationUnderLoad(t *testing.T) {
	b := setup(t)
	for range 10 {
		key, token := b.newKey()
		revoked := make(chan struct{})
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				for late := false; !late; {
					select {
					case <-revoked:
						late = true
					default:
					}
					_, err := []*apikeys.Service{b.other, b.keys}[i%2].Authenticate(b.ctx(), token, request)
					if late && err == nil {
						t.Error("accepted after the revocation")
					}
				}
			})
		}
		require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
		close(revoked)
		wait.Wait()
	}
}

// Decisions, "Rate": one key never has more than 120 places, counted over all instances: 200 at once, on two.
func TestTwoInstancesShareTheRate(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	callers, errs := b.storm(200, func(s *apikeys.Service) (apikeys.Caller, error) {
		return s.Authenticate(b.ctx(), token, request)
	})
	left, accepted := map[int]bool{}, 0
	for i, err := range errs {
		require.Equal(t, key.ID, callers[i].KeyID, "a good key is named, also beyond the rate")
		if err == nil {
			accepted++
			left[callers[i].Budget.Left] = true
			require.InDelta(t, 30, callers[i].Budget.NextIn, 30)
			continue
		}
		e := requireCode(t, apperr.RateLimited, err)
		require.InDelta(t, 30.5, e.RetryAfter, 29.5)
		require.Equal(t, apikeys.Budget{Left: 0, NextIn: e.RetryAfter}, callers[i].Budget)
	}
	require.Equal(t, 120, accepted)
	require.Len(t, left, 120, "each accepted request was told another number of places that are left")
	require.True(t, left[0] && left[119])
	require.Equal(t, 1, b.logged(), "only the creation is recorded: neither an accepted use nor one beyond the rate")
}

// storm asks both instances at once, n times in all.
func (b *bundle) storm(n int, ask func(*apikeys.Service) (apikeys.Caller, error)) ([]apikeys.Caller, []error) {
	callers, errs := make([]apikeys.Caller, n), make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { callers[i], errs[i] = ask([]*apikeys.Service{b.keys, b.other}[i%2]) })
	}
	wait.Wait()
	return callers, errs
}

// Decisions, "Rate": refused uses have a count of their own: up to 120 are recorded one by one, beyond that the answer is
// 429, which is not recorded; and nobody can spend or lock another's key.
func TestRefusedUsesHaveACountOfTheirOwn(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	_, errs := b.storm(200, func(s *apikeys.Service) (apikeys.Caller, error) {
		return s.Authenticate(b.ctx(), guessed(token), request)
	})
	refused := 0
	for _, err := range errs {
		if apperr.Is(err, apperr.AuthRequired) {
			refused++
			continue
		}
		e := requireCode(t, apperr.RateLimited, err)
		require.InDelta(t, 30.5, e.RetryAfter, 29.5)
	}
	require.Equal(t, 120, refused)
	require.Len(t, b.entries(audit.KeyRefused), 120)

	for range 3 {
		caller, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
		requireCode(t, apperr.RateLimited, err)
		require.Zero(t, caller, "who does not know the secret is not told whose key it is")
		requireCode(t, apperr.RateLimited, b.keys.RefuseOutside(b.ctx(), token.ID, request))
	}
	require.Len(t, b.entries(audit.KeyRefused), 120)

	for i := range 120 {
		caller, err := b.keys.Authenticate(b.ctx(), token, request)
		require.NoError(t, err, "request %d of the key's owner", i+1)
		require.Equal(t, 119-i, caller.Budget.Left)
	}
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.RateLimited, err)
}

// The other way round: a key that is beyond its own rate is still refused, and recorded, for what is wrong.
func TestRefusalsAreRecordedBeyondTheRate(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	b.setWindow(key.ID, false, 1, repeat(5, 120))
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.RateLimited, err)
	_, err = b.keys.Authenticate(b.ctx(), guessed(token), request)
	requireCode(t, apperr.AuthRequired, err)
	requireCode(t, apperr.AccessDenied, b.keys.RefuseOutside(b.ctx(), token.ID, request))
	b.exec(`update api_keys set revoked_at = now() where id = $1`, key.ID)
	_, err = b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.AuthRequired, err)
	require.Len(t, b.entries(audit.KeyRefused), 3)
}

func repeat(age float64, n int) []float64 {
	ages := make([]float64, n)
	for i := range ages {
		ages[i] = age
	}
	return ages
}
