package apikeys_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit/fixtures"
)

// rules.md, Keys: a revocation, an expiry or a change of plan takes effect on every instance for
// each request that starts after it was committed. Fifty rounds; in each the other instance has
// just accepted the key.
func TestChangesTakeEffectOnTheNextRequestOnEveryInstance(t *testing.T) {
	b := setup(t)
	changes := []struct {
		reason audit.Reason
		change func(id string)
	}{
		{
			audit.Revoked, func(id string) {
				require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, id, request))
			},
		},
		{
			audit.Expired, func(id string) {
				b.Exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, id)
			},
		},
		{audit.BelowPlan, func(string) { b.setPlan(org.PlanTeam) }},
	}
	for round := range 50 {
		c := changes[round%len(changes)]
		b.setPlan(org.PlanPro)
		key, token := b.newKey()
		for _, instance := range []*instance{b.other, b.keys, b.other} {
			_, err := instance.Authenticate(b.ctx(), token, request)
			require.NoError(t, err)
		}
		c.change(key.ID)

		before := len(b.entries(audit.KeyRefused))
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				_, err := []*instance{
					b.other, b.keys,
				}[i%2].Authenticate(b.ctx(), token, request)
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

// Under load, no request that starts after Revoke has returned is accepted.
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
					_, err := []*instance{
						b.other, b.keys,
					}[i%2].Authenticate(b.ctx(), token, request)
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

// rules.md, Rate limits: one key never gets more than 120 requests, counted over all instances: 200
// concurrent ones on two.
func TestTwoInstancesShareTheRateLimit(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	callers, errs := b.storm(200, func(s *instance) (apikeys.Caller, error) {
		return s.Authenticate(b.ctx(), token, request)
	})
	left := map[int]bool{}
	accepted := 0
	for i, err := range errs {
		require.Equal(t, key.ID, callers[i].KeyID, "a good key is named, also beyond the rate")
		if err == nil {
			accepted++
			left[callers[i].RateLimit.Remaining] = true
			require.InDelta(t, 30, callers[i].RateLimit.Reset, 30)
			continue
		}
		e := requireCode(t, apperr.RateLimited, err)
		require.InDelta(t, 30.5, e.RetryAfter, 29.5)
		require.Equal(t, apikeys.RateLimit{Remaining: 0, Reset: e.RetryAfter}, callers[i].RateLimit)
	}
	require.Equal(t, 120, accepted)
	require.Len(t, left, 120,
		"each accepted request was told another number of places that are left")
	require.True(t, left[0] && left[119])
	require.Equal(t, 1, b.logged(),
		"only the creation is recorded: neither an accepted use nor one beyond the rate")
}

// storm sends n concurrent requests to the two instances.
func (b *bundle) storm(
	n int, ask func(*instance) (apikeys.Caller, error),
) ([]apikeys.Caller, []error) {
	callers := make([]apikeys.Caller, n)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { callers[i], errs[i] = ask([]*instance{b.keys, b.other}[i%2]) })
	}
	wait.Wait()
	return callers, errs
}

// rules.md, Rate limits: rejected requests have a limit of their own: 120 are recorded one by one,
// the others counted. Nobody can use up or lock another's key.
func TestRejectedRequestsHaveTheirOwnLimit(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	_, errs := b.storm(200, func(s *instance) (apikeys.Caller, error) {
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
		require.Equal(t,
			fmt.Sprintf("Too many rejected requests with this key: the secret is wrong. Copy the whole key again. "+
				"Waiting alone does not help; retry in %d seconds.", e.RetryAfter), e.Message)
	}
	require.Equal(t, 120, refused)
	require.Equal(t, 80, b.notRecorded())
	require.Len(t, b.entries(audit.KeyRefused), 120+1, "one more says how many were counted")

	for range 3 {
		caller, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
		requireCode(t, apperr.RateLimited, err)
		require.Zero(t, caller, "who does not know the secret is not told whose key it is")
		requireCode(t, apperr.RateLimited,
			b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside))
	}
	require.Equal(t, 86, b.notRecorded())

	for i := range 120 {
		caller, err := b.keys.Authenticate(b.ctx(), token, request)
		require.NoError(t, err, "request %d of the key's owner", i+1)
		require.Equal(t, 119-i, caller.RateLimit.Remaining)
	}
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	e := requireCode(t, apperr.RateLimited, err)
	require.Equal(t,
		fmt.Sprintf("Rate limit exceeded: 120 requests in 60 seconds. Retry in %d seconds.",
			e.RetryAfter), e.Message)
	require.Equal(t, 86, b.notRecorded(), "a request beyond the key's own rate is no refused use")
}

// notRecorded writes the entries of what was counted, and sums them.
func (b *bundle) notRecorded() int {
	b.t.Helper()
	require.NoError(b.t, b.log.RecordBursts(b.ctx()))
	return fixtures.One[int](b.Database,
		`select coalesce(sum((details->>'notRecorded')::int), 0) from audit_entries`)
}

// Every rejected request is in the log: after a flood on two instances, entries and counts add up
// to them.
func TestFloodOfRejectedRequestsIsInTheLog(t *testing.T) {
	b := setup(t)
	all := 4_000
	if os.Getenv("DG_SOAK") == "1" {
		all = 1_000_000
	}
	_, token := b.newKey()
	_, other := b.newKey()
	var answered, accepted [16]int
	var wait sync.WaitGroup
	began := time.Now()
	for i := range answered {
		wait.Go(func() {
			keys := []*instance{b.keys, b.other}[i%2]
			for n := range all / len(answered) {
				var err error
				if n%3 == 0 {
					err = keys.RefuseOutside(b.ctx(), token.ID, request, errOutside)
				} else {
					_, err = keys.Authenticate(b.ctx(), guessed(token), request)
				}
				if apperr.Is(err, apperr.AuthRequired) || apperr.Is(err, apperr.AccessDenied) ||
					apperr.Is(err, apperr.RateLimited) {
					answered[i]++
				}
				if n%1000 == 0 {
					if _, err := keys.Authenticate(b.ctx(), other, request); err == nil {
						accepted[i]++
					}
				}
			}
		})
	}
	wait.Wait()
	took := time.Since(began)
	sum := 0
	for i, n := range answered {
		require.Positive(t, accepted[i], "another key is served meanwhile")
		sum += n
	}
	require.Equal(t, all, sum, "each was refused")
	counted := b.notRecorded()
	single := fixtures.One[int](b.Database,
		`select count(*) from audit_entries where action = 'api_key.refused' and details = '{}'`)
	t.Logf("%d rejected requests in %s: %d entries of one, %d counted", all,
		took.Round(time.Millisecond), single, counted)
	require.Equal(t, all, single+counted)
	require.GreaterOrEqual(t, single, 120)
	require.LessOrEqual(t, single, 120*(2+int(took.Minutes())), "the log is bounded")
}

// A key over its rate limit is still rejected, and recorded, for what is wrong with it.
func TestRejectionsAreRecordedOverTheRateLimit(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	b.setWindow(key.ID, false, 1, repeat(5, 120))
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.RateLimited, err)
	_, err = b.keys.Authenticate(b.ctx(), guessed(token), request)
	requireCode(t, apperr.AuthRequired, err)
	requireCode(t, apperr.AccessDenied,
		b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside))
	b.Exec(`update api_keys set revoked_at = now() where id = $1`, key.ID)
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
