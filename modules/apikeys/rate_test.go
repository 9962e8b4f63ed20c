package apikeys_test

import (
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

// model is the rate limit as a list of the accepted requests' instants, in virtual seconds.
type model struct {
	now      float64
	accepted []float64
}

// ask returns whether a request is accepted now, how many remain, and the oldest age in the window.
func (m *model) ask() (ok bool, left int, oldest float64) {
	m.accepted = slices.DeleteFunc(m.accepted, func(at float64) bool { return m.now-at >= 60 })
	if len(m.accepted) > 0 {
		oldest = m.now - m.accepted[0]
	}
	if len(m.accepted) == 120 {
		return false, 0, oldest
	}
	m.accepted = append(m.accepted, m.now)
	return true, 120 - len(m.accepted), oldest
}

// rules.md, Rate limits: no key gets more than 120 requests accepted in any 60 seconds, and none is
// refused below that. Remaining and Reset are those of the model. Random schedules have tens of
// seconds between bursts: the windows move by these, and back by the time that a burst takes here.
func TestRateLimitIsASlidingWindow(t *testing.T) {
	b := setup(t)
	for seed := range uint64(6) {
		random := mathrand.New(mathrand.NewPCG(seed, 2026))
		key, token := b.newKey()
		var m model
		rejections := 0
		for range 14 {
			began := time.Now()
			for range random.IntN(70) {
				want, left, oldest := m.ask()
				on := []*apikeys.Service{b.keys, b.other}[random.IntN(2)]
				caller, err := on.Authenticate(b.t.Context(), token, requested)
				wait := caller.RateLimit.Reset
				if want {
					require.NoError(t, err, "seed %d", seed)
				} else {
					rejections++
					require.Equal(t, wait, requireCode(t, apperr.RateLimited, err).RetryAfter)
				}
				late := math.Ceil(time.Since(began).Seconds())
				require.Less(t, late, 10.0, "the machine is too slow for a burst")
				require.Equal(t, left, caller.RateLimit.Remaining, "seed %d", seed)
				require.LessOrEqual(t, float64(wait), 60-oldest)
				require.GreaterOrEqual(t, float64(wait), math.Max(1, 60-oldest-late))
			}
			seconds := float64(10 * random.IntN(4))
			m.now += seconds
			b.Exec(`update api_key_windows set instants = (select array_agg(least(clock_timestamp(),
				i + make_interval(secs => $3)) - make_interval(secs => $2) order by nth)
				from unnest(instants) with ordinality u (i, nth)) where key_id = $1`,
				key.ID, seconds, time.Since(began).Seconds())
		}
		require.Positive(t, rejections, "seed %d never reaches the limit", seed)
	}
}

// rules.md, Rate limits: the window has 60 seconds, not 59: half a second before its end the key is
// still refused, and right after it accepted.
func TestKeyIsRefusedUntilTheMinuteEnds(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	require.Equal(t, 120, accepted(b.together(120, b.uses(token))))
	aged := func(seconds float64) error {
		b.Exec(`update api_key_windows set instants = array_fill(clock_timestamp() -
			make_interval(secs => $2), array[cardinality(instants)]) where key_id = $1`, key.ID, seconds)
		return b.use(token)
	}
	for began := time.Now(); ; began = time.Now() {
		err := aged(59.5)
		if time.Since(began) < 400*time.Millisecond { // otherwise the minute may have ended
			require.Equal(t, 1, requireCode(t, apperr.RateLimited, err).RetryAfter)
			break
		}
	}
	require.NoError(t, aged(60))
}

// rules.md, Rate limits: a crash of PostgreSQL empties the windows, and the next request creates them.
func TestLostWindowsAreRecreated(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	for _, lost := range []string{
		`truncate api_key_windows`, `delete from api_key_windows where not refused`,
		`delete from api_key_windows where refused`,
	} {
		b.Exec(lost)
		b.accept(token)
		b.Exec(lost)
		requireCode(t, apperr.AuthRequired, b.use(guessed(token)))
		b.Exec(lost)
		requireCode(t, apperr.AccessDenied, b.useOutside(token.ID))
	}
	require.Len(t, b.entries(audit.KeyRefused), 6)

	b.Exec(`truncate api_key_windows`)
	errs := b.together(150, b.uses(token))
	require.Equal(t, 120, accepted(errs), "concurrent requests create one window")
	require.Equal(t, 120, b.taken(key)[0])

	// Requests that cannot be counted get 503.
	b.Exec(`create function lost() returns trigger language plpgsql as 'begin return null; end'`)
	b.Exec(`create trigger lost before insert on api_key_windows for each row execute function lost()`)
	b.Exec(`truncate api_key_windows`)
	requireCode(t, apperr.Unavailable, b.use(token))
	requireCode(t, apperr.Unavailable, b.useOutside(token.ID))
}

// rules.md, Rate limits: a stamp in the future (the database's clock was set back) counts as now. The
// key is locked for a minute at most, and the limit holds.
func TestClockSetBackDoesNotLockAKey(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	for before, head := range map[int]int{120: 1, 60: 35, 1: 120} { // requests, and where the ring starts
		b.Exec(`update api_key_windows set head = $2, instants = (
			select array_agg(case when (i - $2 + $3) % $3 >= $3 - $4
			  then now() + interval '20 min' else '-infinity' end order by i)
			  from generate_series(1, $3::int) i) where key_id = $1`,
			key.ID, head, apikeys.MaxRequests, before)
		caller, err := b.keys.Authenticate(b.t.Context(), token, requested)
		left := 119 - before // below 0: it is refused
		if left < 0 {
			for _, err := range []error{err, b.use(guessed(token))} {
				require.LessOrEqual(t, requireCode(t, apperr.RateLimited, err).RetryAfter, 60)
			}
		} else {
			require.NoError(t, err)
			require.Equal(t, left, caller.RateLimit.Remaining)
			requireCode(t, apperr.AuthRequired, b.use(guessed(token)))
		}
		require.InDelta(t, 59, caller.RateLimit.Reset, 1.5)
		require.Equal(t, max(0, left), accepted(b.together(130, b.uses(token))))
		b.pass(key.ID, 60)
		require.Equal(t, 119, b.accept(token).RateLimit.Remaining, "after a minute")
	}
}

// rules.md, Rate limits: of 200 concurrent requests on two instances 120 are accepted.
func TestTwoInstancesShareTheRateLimit(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	var callers [200]apikeys.Caller
	errs := b.together(len(callers), func(i int, on *apikeys.Service) (err error) {
		callers[i], err = on.Authenticate(b.t.Context(), token, requested)
		return err
	})
	left := map[int]bool{}
	for i, err := range errs {
		require.Equal(t, key.ID, callers[i].Actor.ID, "also above the limit")
		if err == nil {
			left[callers[i].RateLimit.Remaining] = true
			continue
		}
		requireCode(t, apperr.RateLimited, err)
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

	for range 3 {
		caller, err := b.keys.Authenticate(b.t.Context(), guessed(token), requested)
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
	require.Equal(t, 2_886, testkit.One[int](b.World, `select sum(refusals)::int from audit_refusals`),
		"a request above the key's limit is no refused use")
}
