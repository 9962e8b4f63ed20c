package identity_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// After the password the two-step code, where enrolled. The token changes with it: one that somebody planted
// (session fixation) is worth nothing afterwards.
func TestSecondStep(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	due := b.signIn("ann@example.com")
	require.True(t, due.SecondStepDue)
	require.True(t, due.Person.TwoStep)
	seen, err := b.other.Session(b.ctx(), due.Token)
	require.NoError(t, err)
	require.True(t, seen.SecondStepDue)

	b.pass(9 * time.Minute)
	full, err := b.other.VerifySecondStep(b.ctx(), due.Token, b.code(secret, 0))
	require.NoError(t, err)
	require.False(t, full.SecondStepDue)
	require.Equal(t, due.StartedAt, full.StartedAt, "24 h from the password")
	require.NotEqual(t, due.Token, full.Token)
	require.False(t, b.isActive(due.Token))
	require.True(t, b.isActive(full.Token))
	_, err = b.people.VerifySecondStep(b.ctx(), full.Token, b.code(secret, 1))
	require.ErrorIs(t, err, identity.ErrNoSession, "it was due once")
}

// A session that is due its code is none yet: nothing but the code and the way out is open to it.
func TestSessionsThatAreDueTheirCodeDoNothing(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	due := b.signIn("ann@example.com")
	_, err := b.people.ChangePassword(b.ctx(), due.Token, identity.Proof{Password: password}, password+" new")
	require.ErrorIs(t, err, identity.ErrNoSession)
	_, err = b.people.TurnOffTwoStep(b.ctx(), due.Token, proof(b.code(secret, 0)))
	require.ErrorIs(t, err, identity.ErrNoSession)
	_, err = b.people.Sessions(b.ctx(), due.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
	require.ErrorIs(t, b.people.EndSession(b.ctx(), due.Token, "00"), identity.ErrNoSession)

	b.pass(5 * time.Minute)
	require.True(t, b.isActive(due.Token)) // looking at it does not prolong it
	b.pass(5*time.Minute - time.Millisecond)
	require.True(t, b.isActive(due.Token))
	b.pass(time.Millisecond)
	require.False(t, b.isActive(due.Token), "ten minutes for the second step")
	_, err = b.people.VerifySecondStep(b.ctx(), due.Token, b.code(secret, 0))
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// The code of the step before and of that after are taken, no others; each once, and none before one that was taken.
func TestCodesAroundNowAreTaken(t *testing.T) {
	for _, c := range []struct {
		steps []int
		taken []bool
	}{
		{[]int{-1, 0, 1}, []bool{true, true, true}},
		{[]int{-2, 2, 0}, []bool{false, false, true}},
		{[]int{0, 0, 1, 1}, []bool{true, false, true, false}},
		{[]int{1, 0, -1}, []bool{true, false, false}},
	} {
		t.Run("", func(t *testing.T) {
			b := setup(t)
			b.person("ann@example.com", secret)
			for i, step := range c.steps {
				_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, b.code(secret, step))
				if c.taken[i] {
					require.NoError(t, err)
				} else {
					require.Equal(t, identity.ErrWrongCode, err)
				}
			}
		})
	}
}

func TestCodesMayHaveSpaces(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	code := b.code(secret, 0)
	for _, odd := range []string{"", "abcdef", code[:5], code + "0", "+" + code[1:], "\x00", "\u0661\u0662\u0663\u0664\u0665\u0666"} {
		_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, odd)
		require.Equal(t, identity.ErrWrongCode, err, "%q", odd)
	}
	_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, " "+code[:3]+" "+code[3:]+" ")
	require.NoError(t, err)
}

// A code works once, also under 50 at once, over two instances; and those who came too late are not taken for guesses.
func TestACodeWorksOnceUnderFiftyAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	var sessions [50]identity.Session
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
	}
	code := b.code(secret, 0)
	done, wrong, locked := results(t, b.concurrently(func(nth int, people *identity.Service) error {
		_, err := people.VerifySecondStep(b.ctx(), sessions[nth].Token, code)
		return err
	}))
	require.Equal(t, [3]int{1, 49, 0}, [3]int{done, wrong, locked})
	require.Equal(t, 1, one[int](b, `select count(*) from sessions where not second_step_due`))
}

// A form that is sent 50 times at once makes one session.
func TestOneSessionGivesItsCodeFiftyTimesAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	due, code := b.signIn("ann@example.com"), b.code(secret, 0)
	done := 0
	for _, err := range b.concurrently(func(_ int, people *identity.Service) error {
		_, err := people.VerifySecondStep(b.ctx(), due.Token, code)
		return err
	}) {
		if err == nil {
			done++
		}
	}
	require.Equal(t, 1, done)
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))
}

// After ten wrong codes the step waits a minute, and says until when, also for the right code: per person, not per
// session.
func TestTenWrongCodesMakeTheStepWait(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	b.person("bob@example.com", secret)
	due := b.signIn("ann@example.com")
	for _, wait := range []time.Duration{time.Minute, 2 * time.Minute} {
		for i := range 10 {
			_, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.wrongCode(secret))
			require.Equal(t, identity.ErrWrongCode, err, "%d", i)
		}
		until := b.now().Add(wait)
		for _, code := range []string{b.code(secret, 0), b.wrongCode(secret)} {
			_, err := b.other.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, code)
			requireLocked(t, err, until)
		}
		b.signInFully("bob@example.com") // nothing else is locked
		b.pass(wait - time.Millisecond)
		_, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.code(secret, 0))
		requireLocked(t, err, until)
		b.pass(time.Millisecond)
	}
	for range 3 { // a right code begins the count anew
		for range 9 {
			_, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.wrongCode(secret))
			require.Equal(t, identity.ErrWrongCode, err)
		}
		_, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.code(secret, 0))
		require.NoError(t, err)
		b.pass(time.Minute)
		due = b.signIn("ann@example.com")
	}
}

// The wait after ten wrong codes doubles each time, up to an hour, until a right one: with the password alone a day has
// room for 290 codes, not for 14,400.
func TestWaitAfterWrongCodesDoubles(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	guess := func(wait time.Duration) {
		due := b.signIn("ann@example.com")
		for range 10 {
			_, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.wrongCode(secret))
			require.Equal(t, identity.ErrWrongCode, err)
		}
		_, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.code(secret, 0))
		requireLocked(t, err, b.now().Add(wait))
		b.pass(wait)
	}
	for _, minutes := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		guess(time.Duration(minutes) * time.Minute)
	}
	b.signInFully("ann@example.com")
	guess(time.Minute)

	guessed := 0
	for end := b.now().Add(24 * time.Hour); b.now().Before(end); b.pass(time.Minute) {
		due := b.signIn("ann@example.com")
		for range 10 {
			if _, err := b.people.VerifySecondStep(b.ctx(), due.Token, b.wrongCode(secret)); !apperr.Is(err, apperr.RateLimited) {
				guessed++
			}
		}
		b.Exec(`delete from sessions`)
		if guessed > 1000 {
			break
		}
		b.pass(59 * time.Minute)
	}
	require.Less(t, guessed, 300)
}

// Of 50 wrong codes at once ten are looked at, over two instances; and the right one among them is one of the ten or is
// not looked at.
func TestFiftyWrongCodesAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	due := b.signIn("ann@example.com")
	code := b.wrongCode(secret)
	done, wrong, locked := results(t, b.concurrently(func(_ int, people *identity.Service) error {
		_, err := people.VerifySecondStep(b.ctx(), due.Token, code)
		return err
	}))
	require.Equal(t, [3]int{0, 10, 40}, [3]int{done, wrong, locked})
}

// Enrolment: a secret, typed or scanned, in force once a code of it confirms it. All other sessions end, this one goes on
// under another token.
func TestTwoStepIsSetUp(t *testing.T) {
	b := setup(t)
	b.person("Ann+1@Example.com", "")
	session, other := b.signIn("ann+1@example.com"), b.signIn("ann+1@example.com")
	_, _, err := b.people.ConfirmTwoStep(b.ctx(), session.Token, proof("123456"))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
	offer, err := b.people.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	again, err := b.other.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	require.Equal(t, offer, again, "the same until it is confirmed: a page that is loaded again shows what was scanned")
	others, err := b.people.BeginTwoStep(b.ctx(), other.Token)
	require.NoError(t, err)
	require.NotEqual(t, offer.Secret, others.Secret)
	require.Len(t, offer.Secret, 32)
	u, err := url.Parse(offer.URL)
	require.NoError(t, err)
	require.Equal(t, "otpauth://totp/DG:Ann+1@Example.com", u.Scheme+"://"+u.Host+u.Path)
	require.Equal(t, url.Values{"secret": {offer.Secret}, "issuer": {"DG"}}, u.Query())
	require.False(t, b.signIn("ann+1@example.com").SecondStepDue, "not in force yet")

	_, _, err = b.people.ConfirmTwoStep(b.ctx(), session.Token, proof(b.wrongCode(offer.Secret)))
	require.Equal(t, identity.ErrWrongCode, err)
	require.True(t, b.isActive(session.Token))
	b.pass(time.Minute)
	_, renewed, err := b.people.ConfirmTwoStep(b.ctx(), session.Token, proof(b.code(offer.Secret, 0)))
	require.NoError(t, err)
	require.True(t, renewed.Person.TwoStep)
	require.Equal(t, b.now(), *renewed.Person.TwoStepSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(other.Token))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))

	due := b.signIn("ann+1@example.com")
	require.True(t, due.SecondStepDue)
	_, err = b.people.VerifySecondStep(b.ctx(), due.Token, b.code(offer.Secret, 0))
	require.Equal(t, identity.ErrWrongCode, err, "the code that confirmed it is used")
	_, err = b.people.VerifySecondStep(b.ctx(), due.Token, b.code(offer.Secret, 1))
	require.NoError(t, err)
	_, err = b.people.BeginTwoStep(b.ctx(), renewed.Token)
	require.ErrorIs(t, err, identity.ErrTwoStepOn)
	_, _, err = b.people.ConfirmTwoStep(b.ctx(), renewed.Token, proof(b.code(offer.Secret, 0)))
	require.ErrorIs(t, err, identity.ErrTwoStepOn)
	_, err = b.people.BeginTwoStep(b.ctx(), session.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// Turning it off takes a code, is guessed at as little as the second step, and ends all other sessions.
func TestTwoStepIsTurnedOff(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	session := b.signInFully("ann@example.com")
	due := b.signIn("ann@example.com")
	require.Nil(t, session.Person.TwoStepSince, "on since before it was recorded")
	_, err := b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 0)))
	require.Equal(t, identity.ErrWrongCode, err, "used to sign in")
	for range 10 {
		_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.wrongCode(secret)))
		require.Equal(t, identity.ErrWrongCode, err)
	}
	_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 1)))
	require.True(t, apperr.Is(err, apperr.RateLimited))
	b.pass(time.Minute)
	renewed, err := b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 0)))
	require.NoError(t, err)
	require.False(t, renewed.Person.TwoStep)
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(due.Token))
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.signIn("ann@example.com").SecondStepDue)
	_, err = b.people.TurnOffTwoStep(b.ctx(), renewed.Token, proof(b.code(secret, 1)))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
}

// Of 50 who confirm at once one turns it on.
func TestTwoStepIsSetUpOnceUnderFiftyAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	var sessions [50]identity.Session
	var secrets [50]string
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
		offer, err := b.people.BeginTwoStep(b.ctx(), sessions[i].Token)
		require.NoError(t, err)
		secrets[i] = offer.Secret
	}
	winner := -1
	for i, err := range b.concurrently(func(nth int, people *identity.Service) error {
		_, _, err := people.ConfirmTwoStep(b.ctx(), sessions[nth].Token, proof(b.code(secrets[nth], 0)))
		return err
	}) {
		if err == nil {
			require.Equal(t, -1, winner, "two of them turned it on")
			winner = i
		}
	}
	require.GreaterOrEqual(t, winner, 0)
	require.Equal(t, secrets[winner], one[string](b, `select totp_secret from users`))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))
}
