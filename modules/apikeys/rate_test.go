package apikeys_test

import (
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/testkit/fixtures"
)

// model is the rate limit at its simplest: the instants of all accepted requests, in virtual
// seconds.
type model struct {
	now      float64
	accepted []float64
}

// ask returns whether a request is accepted now, how many remain, and the age of the oldest one in
// the window.
func (m *model) ask() (ok bool, left int, oldest float64) {
	count := 0
	oldest = 0.0
	for _, at := range m.accepted {
		if age := m.now - at; age < 60 {
			count++
			oldest = math.Max(oldest, age)
		}
	}
	if count >= 120 {
		return false, 0, oldest
	}
	m.accepted = append(m.accepted, m.now)
	return true, 119 - count, oldest
}

// rules.md, Rate limits: no key ever gets more than 120 requests accepted in any 60 seconds, and
// none is refused while fewer than 120 were accepted in the last 60 seconds. Random schedules
// against the model; time passes in steps of ten seconds, so that the time that the test takes for
// one does not matter.
func TestRateLimitIsASlidingWindow(t *testing.T) {
	b := setup(t)
	for seed := range uint64(6) {
		random := mathrand.New(mathrand.NewPCG(seed, 2026))
		key, token := b.newKey()
		var m model
		rejections := 0
		for step := range 14 {
			began := time.Now()
			for range random.IntN(70) {
				want, left, oldest := m.ask()
				caller, err := []*instance{
					b.keys, b.other,
				}[random.IntN(2)].Authenticate(b.ctx(), token, request)
				late := time.Since(began).Seconds()
				require.Less(t, late, 9.0, "the machine is too slow for this test's steps")
				wait := caller.RateLimit.Reset
				if want {
					require.NoError(t, err, "seed %d, step %d", seed, step)
				} else {
					rejections++
					require.Equal(t, wait, requireCode(t, apperr.RateLimited, err).RetryAfter)
				}
				require.Equal(t, left, caller.RateLimit.Remaining, "seed %d, step %d", seed, step)
				require.LessOrEqual(t, float64(wait), 60-oldest)
				require.GreaterOrEqual(t, float64(wait), math.Max(1, 60-oldest-math.Ceil(late)))
			}
			seconds := float64(10 * random.IntN(4))
			m.now += seconds
			b.passInstead(key.ID, began, seconds)
		}
		require.Positive(t, rejections,
			"seed %d: a schedule that never reaches the rate proves nothing", seed)
	}
}

// The same rule holds for rejected requests.
func TestRejectionLimitIsASlidingWindow(t *testing.T) {
	b := setup(t)
	random := mathrand.New(mathrand.NewPCG(7, 2026))
	key, token := b.newKey()
	var m model
	recorded := 0
	for range 12 {
		began := time.Now()
		for range random.IntN(80) {
			var err error
			code := apperr.AuthRequired
			if random.IntN(2) == 0 {
				_, err = b.keys.Authenticate(b.ctx(), guessed(token), request)
			} else {
				err = b.other.RefuseOutside(b.ctx(), token.ID, request, errOutside)
				code = apperr.AccessDenied
			}
			require.Less(t, time.Since(began).Seconds(), 9.0,
				"the machine is too slow for this test's steps")
			if want, _, _ := m.ask(); want {
				recorded++
				requireCode(t, code, err)
			} else {
				requireCode(t, apperr.RateLimited, err)
			}
		}
		seconds := float64(10 * random.IntN(4))
		m.now += seconds
		b.passInstead(key.ID, began, seconds)
	}
	require.Greater(t, recorded, 120)
	require.Equal(t, recorded,
		fixtures.One[int](b.Database,
			`select count(*) from audit_entries where reason in ('wrong_secret', 'outside_api')`))
	require.Len(t, m.accepted, recorded)
	require.Equal(t, 0, b.taken(key.ID, false))
}

// rules.md, Rate limits: the 429 of rejected requests names the reason, and that waiting alone does
// not help. A state of the key is named only where the secret is right.
func TestRejectionLimitNamesTheReason(t *testing.T) {
	b := setup(t)
	_, valid := b.newKey()
	ask := func(token apikeys.Token) error {
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		return err
	}
	for _, c := range []struct {
		name, state, want string
		ask               func(apikeys.Token) error
	}{
		{
			"wrong secret", "", "the secret is wrong. Copy the whole key again",
			func(k apikeys.Token) error { return ask(guessed(k)) },
		},
		{"outside", "", "the path is outside /api/v1/. Correct the path",
			func(k apikeys.Token) error {
				return b.keys.RefuseOutside(b.ctx(), k.ID, request, errOutside)
			}},
		{
			"plan", `update organisations set plan = 'team'`,
			"it needs the Pro plan. Move the organisation to Pro or Enterprise", ask,
		},
		{
			"expired", `update api_keys set expires_at = now()`, "it has expired. Use another key",
			ask,
		},
		{
			"revoked", `update api_keys set revoked_at = date_trunc('milliseconds', now())`,
			"it was revoked. Use another key", ask,
		},
		{
			"revoked, wrong secret", "", "the secret is wrong. Copy the whole key again",
			func(k apikeys.Token) error { return ask(guessed(k)) },
		},
	} {
		if c.state != "" {
			b.Exec(c.state)
		}
		b.Exec(
			`update api_key_windows set instants = array_fill(clock_timestamp(), array[120]) where refused`,
		)
		e := requireCode(t, apperr.RateLimited, c.ask(valid))
		require.Equal(t,
			fmt.Sprintf("Too many rejected requests with this key: %s. Waiting alone does not "+
				"help; retry in %d seconds.",
				c.want, e.RetryAfter), e.Message, c.name)
	}
}

// rules.md, Rate limits: Retry-After is in whole seconds, at least 1, after which a request
// succeeds; a second less is too early.
func TestRetryAfterIsExact(t *testing.T) {
	b := setup(t)
	random := mathrand.New(mathrand.NewPCG(1, 2026))
	key, token := b.newKey()
	ask := map[bool]func() error{
		false: func() error {
			_, err := b.keys.Authenticate(b.ctx(), token, request)
			return err
		},
		true: func() error {
			_, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
			return err
		},
	}
	for round := 0; round < 60; {
		refused := round%2 == 1
		began := time.Now()
		// The oldest of 120 leaves in so many seconds and nine tenths: what the test takes does not
		// move that over the second.
		leaves := random.IntN(60)
		b.setWindow(key.ID, refused, 1+random.IntN(120),
			append([]float64{59.1 - float64(leaves)}, repeat(0, 119)...))
		first := ask[refused]()
		b.pass(key.ID, float64(leaves))
		second := ask[refused]()
		if time.Since(began) > 800*time.Millisecond {
			continue // the machine was busy: the round says nothing
		}
		b.pass(key.ID, 1)
		third := ask[refused]()

		require.Equal(t, leaves+1, requireCode(t, apperr.RateLimited, first).RetryAfter)
		require.Equal(t, 1, requireCode(t, apperr.RateLimited, second).RetryAfter,
			"too early by a part of a second")
		require.False(t, apperr.Is(third, apperr.RateLimited), "after the time that was told")
		round++
	}
}

// rules.md, Rate limits: 120 in any 60 seconds, to the part of a second, wherever the ring begins.
func TestWindowIsSixtySeconds(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	for head := 1; head <= 120; head += 7 {
		b.setWindow(key.ID, false, head, append([]float64{58}, repeat(1, 119)...))
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		requireCode(t, apperr.RateLimited, err)

		b.setWindow(key.ID, false, head, append([]float64{60}, repeat(1, 119)...))
		caller, err := b.keys.Authenticate(b.ctx(), token, request)
		require.NoError(t, err)
		require.Equal(t, 0, caller.RateLimit.Remaining)
		_, err = b.keys.Authenticate(b.ctx(), token, request)
		requireCode(t, apperr.RateLimited, err)
	}
}

// rules.md, Rate limits: RateLimit has the remaining requests and the seconds until there is one
// more.
func TestRemainingAndReset(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	for name, c := range map[string]struct {
		ages []float64 // of what was accepted before
		want apikeys.RateLimit
	}{
		"the first": {nil, apikeys.RateLimit{Remaining: 119, Reset: 60}},
		"one is half a minute old": {
			[]float64{29.5}, apikeys.RateLimit{Remaining: 118, Reset: 31},
		},
		"one has just left": {
			[]float64{60}, apikeys.RateLimit{Remaining: 119, Reset: 60},
		},
		"one is about to leave": {
			[]float64{59.1}, apikeys.RateLimit{Remaining: 118, Reset: 1},
		},
		"some have left, some have not": {
			[]float64{300, 61, 60, 49.5, 20, 1}, apikeys.RateLimit{Remaining: 116, Reset: 11},
		},
		"the last place": {
			append([]float64{100}, repeat(9.5, 119)...), apikeys.RateLimit{Remaining: 0, Reset: 51},
		},
		"a full window of an hour ago": {
			repeat(3600, 120), apikeys.RateLimit{Remaining: 119, Reset: 60},
		},
	} {
		for head := 1; head <= 120; head += 17 {
			b.setWindow(key.ID, false, head, c.ages)
			caller, err := b.keys.Authenticate(b.ctx(), token, request)
			require.NoError(t, err, name)
			require.Equal(t, c.want, caller.RateLimit, "%s, head %d", name, head)
		}
	}
}

// rules.md, Rate limits: a stamp that lies in the future (the database's clock was set back) counts
// as now. The key is not locked for longer than a minute, and never more than 120 requests in 60
// seconds are accepted.
func TestClockSetBackDoesNotLockAKey(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	const back = 1200 // seconds
	for name, c := range map[string]struct {
		before []float64 // ages of the requests before the clock was set back
		left   int       // places that the next request leaves; below 0: it is refused
	}{
		"a full window":         {repeat(10, 120), -1},
		"a full window, spread": {append(repeat(50, 60), repeat(5, 60)...), -1},
		"half a window":         {repeat(10, 60), 59},
		"one request":           {[]float64{30}, 118},
	} {
		for head := 1; head <= 120; head += 17 {
			ages := make([]float64, len(c.before))
			for i, age := range c.before {
				ages[i] = age - back
			}
			b.setWindow(key.ID, false, head, ages)
			b.setWindow(key.ID, true, head, ages)
			caller, err := b.keys.Authenticate(b.ctx(), token, request)
			_, refused := b.keys.Authenticate(b.ctx(), guessed(token), request)
			if c.left < 0 {
				require.LessOrEqual(t, requireCode(t, apperr.RateLimited, err).RetryAfter, 60, name)
				require.LessOrEqual(t, requireCode(t, apperr.RateLimited, refused).RetryAfter, 60,
					name)
			} else {
				require.NoError(t, err, name)
				require.Equal(t, c.left, caller.RateLimit.Remaining, name)
				requireCode(t, apperr.AuthRequired, refused)
			}
			require.InDelta(t, 59, caller.RateLimit.Reset, 1.5, name)

			_, errs := b.storm(130, func(s *instance) (apikeys.Caller, error) {
				return s.Authenticate(b.ctx(), token, request)
			})
			accepted := 0
			for _, err := range errs {
				if err == nil {
					accepted++
				}
			}
			require.Equal(t, max(0, c.left), accepted, "%s: never more than 120 with those before",
				name)
			b.pass(key.ID, 60)
			caller, err = b.keys.Authenticate(b.ctx(), token, request)
			require.NoError(t, err, "%s: after a minute the key works", name)
			require.Equal(t, 119, caller.RateLimit.Remaining, name)
		}
	}
}

// rules.md, Rate limits: a crash of PostgreSQL empties the windows: they are recreated, and the key
// works.
func TestLostWindowsAreRecreated(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	for name, c := range map[string]struct {
		lose string
		ask  func() error
	}{
		"all, accepted": {`truncate api_key_windows`, func() error {
			_, err := b.keys.Authenticate(b.ctx(), token, request)
			return err
		}},
		"one, accepted": {`delete from api_key_windows where not refused`, func() error {
			_, err := b.keys.Authenticate(b.ctx(), token, request)
			return err
		}},
		"the other": {`delete from api_key_windows where refused`, func() error {
			_, err := b.keys.Authenticate(b.ctx(), token, request)
			return err
		}},
		"all, wrong secret": {`truncate api_key_windows`, func() error {
			_, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
			return err
		}},
		"all, outside": {
			`truncate api_key_windows`, func() error {
				return b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside)
			},
		},
	} {
		b.Exec(c.lose)
		before := len(b.entries(audit.KeyRefused))
		err := c.ask()
		require.Equal(t, len(b.entries(audit.KeyRefused)) > before, err != nil, "%s: %v", name, err)
		require.False(t, apperr.Is(err, apperr.RateLimited), name)
	}

	b.Exec(`truncate api_key_windows`)
	_, errs := b.storm(150, func(s *instance) (apikeys.Caller, error) {
		return s.Authenticate(b.ctx(), token, request)
	})
	accepted := 0
	for _, err := range errs {
		if err == nil {
			accepted++
		}
	}
	require.Equal(t, 120, accepted, "the window that all of them made is one")
	require.Equal(t, 120, b.taken(key.ID, false))
}

// A crash amid the authentication takes the new windows, too: that is 503, as any use that cannot
// be counted.
func TestWindowsThatAreLostAgainAreUnavailable(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	b.Exec(`create function lost() returns trigger language plpgsql as 'begin return null; end'`)
	b.Exec(
		`create trigger lost before insert on api_key_windows for each row execute function lost()`,
	)
	b.Exec(`truncate api_key_windows`)
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
	require.True(t,
		apperr.Is(b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside), apperr.Unavailable))
}
