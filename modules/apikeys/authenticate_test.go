package apikeys_test

import (
	"context"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

var unknownToken = apikeys.Token{ID: "0123456789ABCDEFGHIJKL", Secret: "x"}

// rejections are the reasons to reject a key, by ascending precedence.
var rejections = []struct {
	reason audit.Reason
	change string
}{
	{audit.BelowPlan, `update organisations set plan = 'team' where id = (select org_id from api_keys where id = $1)`},
	{audit.Expired, `update api_keys set expires_at = now() - interval '1 ms' where id = $1`},
	{audit.Revoked, `update api_keys set revoked_at = now() - interval '1 ms' where id = $1`},
	{audit.WrongSecret, `update api_keys set secret_hash = sha256('another') where id = $1`},
}

// rejectedKey creates a key and applies the rejections whose bits are set in mask. want is the reason to expect.
func (b *fixture) rejectedKey(mask int) (key apikeys.Key, token apikeys.Token, want audit.Reason) {
	b.setPlan(org.PlanPro)
	key, token = b.newKey()
	b.Exec(`update api_keys set expires_at = now() + interval '1 h' where id = $1`, key.ID)
	for bit, r := range rejections {
		if mask>>bit&1 == 1 {
			b.Exec(r.change, key.ID)
			want = r.reason
		}
	}
	return key, token, want
}

// rules.md, Order of checks: wrong secret (same response as an unknown id), then revoked, expired, plan.
func TestKeyIsRejectedForTheFirstReasonThatHolds(t *testing.T) {
	b := setup(t)
	unknownErr := requireCode(t, apperr.AuthRequired, b.use(unknownToken))
	for mask := range 1 << len(rejections) {
		key, token, want := b.rejectedKey(mask)
		before := b.CountRows(`audit_entries`)
		caller, err := b.service.Authenticate(b.t.Context(), token, requestFunc)
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, key.ID, caller.Actor.ID)
			require.Equal(t, before, b.CountRows(`audit_entries`), "an accepted use is not recorded")
			require.Equal(t, [2]int{1, 0}, b.requestsInWindow(key))
			continue
		}
		rejection := requireCode(t, apperr.AuthRequired, err)
		require.Zero(t, caller)
		require.Equal(t, want == audit.WrongSecret, rejection.Message == unknownErr.Message, want)
		require.Equal(t, before+1, b.CountRows(`audit_entries`), want)
		entry := b.entries(audit.KeyRefused)[0]
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name}, entry.Actor)
		require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, entry.Target)
		require.Equal(t, want, entry.Reason)
		require.Equal(t, request, entry.Request)
		require.Equal(t, [2]int{0, 1}, b.requestsInWindow(key), "it does not count towards the key's own limit")

		// rules.md, Order of checks, 1: outside /api/v1/ a key gets 403 in any state.
		requireCode(t, apperr.AccessDenied, b.useOutside(token.ID))
		require.Equal(t, before+2, b.CountRows(`audit_entries`), want)
		require.Equal(t, audit.OutsideAPI, b.entries(audit.KeyRefused)[0].Reason, want)
	}
}

// rules.md, Audit log and Failures: a refusal is recorded with its target. If the recording fails, the response is 503.
func TestRefusalIsRecordedOrAnswered503(t *testing.T) {
	b, _, token := setupKey(t)
	caller := b.accept(token)
	target := audit.Target{Kind: "fork", ID: "f"}
	refuse := func() error {
		return b.service.Refuse(b.t.Context(), caller, audit.OtherOrganisation, target, request, errOutsideAPI)
	}
	require.Equal(t, errOutsideAPI, refuse())
	entry := b.entries(audit.KeyRefused)[0]
	require.Equal(t, audit.OtherOrganisation, entry.Reason)
	require.Equal(t, target, entry.Target)
	require.Equal(t, caller.Actor, entry.Actor)
	b.Exec(`revoke insert on audit_entries from dg_app`)
	for _, err := range []error{refuse(), b.use(withWrongSecret(token)), b.useOutside(token.ID)} {
		requireCode(t, apperr.Unavailable, err)
	}
	b.accept(token)
}

// rules.md, CSV and Keys: a running export, a request and the screen agree on which keys are usable.
func TestCheckUsableAgreesWithAuthenticate(t *testing.T) {
	b := setup(t)
	states := map[audit.Reason]apikeys.State{
		"": apikeys.StateUsable, audit.BelowPlan: apikeys.StatePaused,
		audit.Expired: apikeys.StateExpired, audit.Revoked: apikeys.StateRevoked,
	}
	for mask := range 8 { // all masks without the bit of audit.WrongSecret
		key, token, reason := b.rejectedKey(mask)
		before := b.CountRows(`audit_entries`)
		for _, err := range b.concurrently(2, func(int, *apikeys.Service) error {
			return b.checkUsable(ourOrganisation, key.ID)
		}) {
			require.Equal(t, reason == "", err == nil, "%s: %v", reason, err)
			require.Equal(t, reason != "", apperr.Is(err, apperr.AuthRequired), reason)
		}
		require.Zero(t, b.requestsInWindow(key), "it is not counted")
		require.Equal(t, before, b.CountRows(`audit_entries`), reason)
		require.Error(t, b.checkUsable(theirOrganisation, key.ID))
		stored, err := b.service.Key(b.t.Context(), b.owner, key.ID)
		require.NoError(t, err)
		plan := []org.Plan{org.PlanPro, org.PlanTeam}[mask&1]
		require.Equal(t, states[reason], stored.State(time.Now(), plan))
		b.setPlan(org.PlanEnterprise)
		works := reason == "" || reason == audit.BelowPlan
		require.Equal(t, works, b.use(token) == nil, "%s: later", reason)
		require.Equal(t, works, b.checkUsable(ourOrganisation, key.ID) == nil, "%s: later", reason)
	}
}

// rules.md, Keys: once a revocation, expiry or change of plan has committed, new requests see it on every instance.
func TestChangesTakeEffectOnTheNextRequestOnEveryInstance(t *testing.T) {
	b := setup(t)
	for range 17 {
		for reason, change := range map[audit.Reason]func(id string){
			audit.Revoked: func(id string) { require.NoError(t, b.service.Revoke(t.Context(), b.owner, id, request)) },
			audit.Expired: func(id string) {
				b.Exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, id)
			},
			audit.BelowPlan: func(string) { b.setPlan(org.PlanFree) },
		} {
			b.setPlan(org.PlanPro)
			key, token := b.newKey()
			require.Equal(t, 3, countAccepted(b.concurrently(3, b.useFunc(token))))
			change(key.ID)
			before := len(b.entries(audit.KeyRefused))
			for _, err := range b.concurrently(4, b.useFunc(token)) {
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

// The database's clock may be ahead of the instance's: a key whose RevokedAt is a millisecond ahead is revoked.
func TestStateToleratesADatabaseClockAhead(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	inAMillisecond := now.Add(time.Millisecond)
	inAnHour := now.Add(time.Hour)
	for _, c := range []struct {
		revoked, expires *time.Time
		want             apikeys.State
	}{
		{nil, &inAMillisecond, apikeys.StateUsable}, {nil, &now, apikeys.StateExpired},
		{&inAMillisecond, nil, apikeys.StateRevoked}, {&inAnHour, nil, apikeys.StateUsable},
		{&inAnHour, &now, apikeys.StateExpired},
	} {
		key := apikeys.Key{RevokedAt: c.revoked, ExpiresAt: c.expires}
		require.Equal(t, c.want, key.State(now, org.PlanPro), "%+v", c)
	}
}

// windowModel is a reference rate limit: it lists the instants of accepted requests, in virtual seconds.
type windowModel struct {
	now        float64
	acceptedAt []float64
}

// request returns whether a request is accepted now, how many remain, and the age of the oldest in the window.
func (m *windowModel) request() (accepted bool, remaining int, oldestAge float64) {
	m.acceptedAt = slices.DeleteFunc(m.acceptedAt, func(at float64) bool { return m.now-at >= 60 })
	if len(m.acceptedAt) > 0 {
		oldestAge = m.now - m.acceptedAt[0]
	}
	if len(m.acceptedAt) == 120 {
		return false, 0, oldestAge
	}
	m.acceptedAt = append(m.acceptedAt, m.now)
	return true, 120 - len(m.acceptedAt), oldestAge
}

// rules.md, Rate limits: no key gets more than 120 requests accepted in any 60 seconds, and none of its
// requests is refused below 120. Remaining equals the model's. Reset is below the model's by at most the burst's
// duration, because the model's clock stands still during a burst. After each burst the test shifts the stored
// timestamps as if the burst had taken no time, and then 0 to 30 seconds had passed.
func TestRateLimitIsASlidingWindow(t *testing.T) {
	b := setup(t)
	for seed := range uint64(6) {
		random := mathrand.New(mathrand.NewPCG(seed, 2026))
		key, token := b.newKey()
		var model windowModel
		refused := 0
		for range 14 {
			began := time.Now()
			for range random.IntN(70) {
				accepted, remaining, oldestAge := model.request()
				instance := []*apikeys.Service{b.service, b.otherInstance}[random.IntN(2)]
				caller, err := instance.Authenticate(b.t.Context(), token, requestFunc)
				wait := caller.RateLimit.Reset
				if accepted {
					require.NoError(t, err, "seed %d", seed)
				} else {
					refused++
					require.Equal(t, wait, requireCode(t, apperr.RateLimited, err).RetryAfter)
				}
				elapsed := math.Ceil(time.Since(began).Seconds())
				require.Less(t, elapsed, 10.0, "the machine is too slow for a burst")
				require.Equal(t, remaining, caller.RateLimit.Remaining, "seed %d", seed)
				require.LessOrEqual(t, float64(wait), 60-oldestAge)
				require.GreaterOrEqual(t, float64(wait), math.Max(1, 60-oldestAge-elapsed))
			}
			seconds := float64(10 * random.IntN(4))
			model.now += seconds
			b.Exec(`update api_key_windows set instants = (select array_agg(least(clock_timestamp(),
				i + make_interval(secs => $3)) - make_interval(secs => $2) order by nth)
				from unnest(instants) with ordinality u (i, nth)) where key_id = $1`,
				key.ID, seconds, time.Since(began).Seconds())
		}
		require.Positive(t, refused, "seed %d never reaches the limit", seed)
	}
}

// rules.md, Rate limits: the window has 60 seconds, not 59. Retry-After is rounded up, so that the retry succeeds.
func TestKeyIsRefusedUntilTheMinuteEnds(t *testing.T) {
	b, key, token := setupKey(t)
	require.Equal(t, 120, countAccepted(b.concurrently(120, b.useFunc(token))))
	useAfter := func(seconds float64) error {
		b.Exec(`update api_key_windows set instants = array_fill(clock_timestamp() -
			make_interval(secs => $2), array[cardinality(instants)]) where key_id = $1`, key.ID, seconds)
		return b.use(token)
	}
	for seconds, retryAfter := range map[float64]int{59.5: 1, 54.6: 6} {
		for began := time.Now(); ; began = time.Now() {
			err := useAfter(seconds)
			if time.Since(began) < 400*time.Millisecond { // a slower attempt gets a smaller RetryAfter or is accepted
				require.Equal(t, retryAfter, requireCode(t, apperr.RateLimited, err).RetryAfter)
				break
			}
		}
	}
	require.NoError(t, useAfter(60))
}

// rules.md, Rate limits: a crash of PostgreSQL empties the windows, and the next request creates them again.
func TestLostWindowsAreRecreated(t *testing.T) {
	b, _, token := setupKey(t)
	for _, lose := range []string{
		`truncate api_key_windows`, `delete from api_key_windows where not refused`,
		`delete from api_key_windows where refused`,
	} {
		b.Exec(lose)
		b.accept(token)
		b.Exec(lose)
		requireCode(t, apperr.AuthRequired, b.use(withWrongSecret(token)))
		b.Exec(lose)
		requireCode(t, apperr.AccessDenied, b.useOutside(token.ID))
	}
	require.Len(t, b.entries(audit.KeyRefused), 6)

	// requests that cannot be counted get 503
	b.Exec(`create function lost() returns trigger language plpgsql as 'begin return null; end'`)
	b.Exec(`create trigger lost before insert on api_key_windows for each row execute function lost()`)
	b.Exec(`truncate api_key_windows`)
	require.ErrorIs(t, b.use(token), context.DeadlineExceeded)
	require.ErrorIs(t, b.useOutside(token.ID), context.DeadlineExceeded)
}

// rules.md, Rate limits: after the database's clock was set back, a key is locked for a minute at most.
func TestClockSetBackDoesNotLockAKey(t *testing.T) {
	b, key, token := setupKey(t)
	for requests, head := range map[int]int{120: 1, 60: 35, 1: 120} { // number of requests: head of the ring
		b.Exec(`update api_key_windows set head = $2, instants = (
			select array_agg(case when (i - $2 + $3) % $3 >= $3 - $4
			  then now() + interval '20 min' else '-infinity' end order by i)
			  from generate_series(1, $3::int) i) where key_id = $1`,
			key.ID, head, apikeys.MaxRequests, requests)
		caller, err := b.service.Authenticate(b.t.Context(), token, requestFunc)
		remaining := 119 - requests // below 0: the request is refused
		if remaining < 0 {
			for _, err := range []error{err, b.use(withWrongSecret(token))} {
				require.LessOrEqual(t, requireCode(t, apperr.RateLimited, err).RetryAfter, 60)
			}
		} else {
			require.NoError(t, err)
			require.Equal(t, remaining, caller.RateLimit.Remaining)
			requireCode(t, apperr.AuthRequired, b.use(withWrongSecret(token)))
		}
		require.InDelta(t, 59, caller.RateLimit.Reset, 1.5)
		require.Equal(t, max(0, remaining), countAccepted(b.concurrently(130, b.useFunc(token))))
		b.ageRequestsInWindows(key.ID, 60)
		require.Equal(t, 119, b.accept(token).RateLimit.Remaining, "after a minute")
	}
}

// rules.md, Rate limits: two instances accept 120 of 200 concurrent requests, even if the window was lost.
func TestTwoInstancesShareTheRateLimit(t *testing.T) {
	b, key, token := setupKey(t)
	b.Exec(`truncate api_key_windows`)
	var callers [200]apikeys.Caller
	errs := b.concurrently(len(callers), func(i int, instance *apikeys.Service) (err error) {
		callers[i], err = instance.Authenticate(b.t.Context(), token, requestFunc)
		return err
	})
	remaining := map[int]bool{}
	for i, err := range errs {
		require.Equal(t, key.ID, callers[i].Actor.ID, "also above the limit")
		if err == nil {
			remaining[callers[i].RateLimit.Remaining] = true
		} else {
			requireCode(t, apperr.RateLimited, err)
		}
	}
	require.Equal(t, 120, countAccepted(errs))
	require.Equal(t, [2]int{120, 0}, b.requestsInWindow(key))
	require.Len(t, remaining, 120, "each has another number of remaining requests")
	require.True(t, remaining[0] && remaining[119])
	require.Equal(t, 1, b.CountRows(`audit_entries`), "only the creation is recorded")
}

// rules.md, Rate limits: 120 of the refused requests in 60 seconds get an audit entry each. Refused requests do
// not count towards the limit of accepted requests.
func TestRejectedRequestsHaveTheirOwnLimit(t *testing.T) {
	b, _, token := setupKey(t)
	refused := 0
	for _, err := range b.concurrently(3_000, b.useFunc(withWrongSecret(token))) {
		if apperr.Is(err, apperr.AuthRequired) {
			refused++
			continue
		}
		require.InDelta(t, 30.5, requireCode(t, apperr.RateLimited, err).RetryAfter, 29.5)
	}
	require.Equal(t, 120, refused)
	require.Equal(t, 120, b.CountRows(`audit_entries where action = 'api_key.refused'`))

	for range 3 {
		caller, err := b.service.Authenticate(b.t.Context(), withWrongSecret(token), requestFunc)
		requireCode(t, apperr.RateLimited, err)
		require.Zero(t, caller, "a wrong secret learns nothing of the key")
		requireCode(t, apperr.RateLimited, b.useOutside(token.ID))
	}
	for i := range 120 {
		require.Equal(t, 119-i, b.accept(token).RateLimit.Remaining, "of the key's owner")
	}
	e := requireCode(t, apperr.RateLimited, b.use(token))
	require.Equal(t, fmt.Sprintf("Rate limit exceeded: 120 requests in 60 seconds. "+
		"Retry in %d seconds.", e.RetryAfter), e.Message)
	require.Equal(t, 2_886, testkit.Query[int](b.World, `select sum(refusals)::int from audit_refusals`),
		"a request above the key's limit is no refused use")
}
