package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// Somebody with the password who guesses codes does not lock the person out of a known browser.
func TestCodesInKnownBrowserAreCountedApart(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	token, err := b.people.RememberBrowser(b.ctx(), b.signInFully("ann@example.com"), "")
	require.NoError(t, err)
	b.pass(time.Minute)
	pending := b.signIn("ann@example.com")
	for range 10 {
		_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.wrongCode(secret))
		require.Equal(t, identity.ErrWrongCode, err)
	}
	until := b.now().Add(time.Minute)
	known, err := b.people.SignIn(b.ctx(), "ann@example.com", password,
		clientOf(token, "192.0.2.1"))
	require.NoError(t, err)
	for range 4 {
		_, err := b.other.VerifySecondStep(b.ctx(), known.Token, b.wrongCode(secret))
		require.Equal(t, identity.ErrWrongCode, err)
	}
	_, err = b.people.VerifySecondStep(b.ctx(), known.Token, b.code(secret, 0))
	require.NoError(t, err)
	_, err = b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
	requireLocked(t, err, until)
	known, err = b.people.SignIn(b.ctx(), "ann@example.com", password, clientOf(token, "192.0.2.1"))
	require.NoError(t, err)
	_, err = b.people.VerifySecondStep(b.ctx(), known.Token, b.wrongCode(secret))
	require.Equal(t, identity.ErrWrongCode, err)
	_, err = b.people.VerifySecondStep(b.ctx(), known.Token, b.code(secret, 1))
	requireLocked(t, err, b.now().Add(15*time.Minute))
}

// The lock holds for all sessions of the person and for the right code too. A right code clears the
// count.
func TestTenWrongCodesLockThePerson(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	b.person("bob@example.com", secret)
	pending := b.signIn("ann@example.com")
	for _, wait := range []time.Duration{time.Minute, 2 * time.Minute} {
		for i := range 10 {
			_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.wrongCode(secret))
			require.Equal(t, identity.ErrWrongCode, err, "%d", i)
		}
		until := b.now().Add(wait)
		for _, code := range []string{b.code(secret, 0), b.wrongCode(secret)} {
			_, err := b.other.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, code)
			requireLocked(t, err, until)
		}
		b.signInFully("bob@example.com") // nothing else is locked
		b.pass(wait - time.Millisecond)
		_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
		requireLocked(t, err, until)
		b.pass(time.Millisecond)
	}
	for range 3 { // a right code clears the count
		for range 9 {
			_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.wrongCode(secret))
			require.Equal(t, identity.ErrWrongCode, err)
		}
		_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
		require.NoError(t, err)
		b.pass(time.Minute)
		pending = b.signIn("ann@example.com")
	}
}

// The lock doubles up to an hour, until a right code: a day has room for 290 codes, not for 14,400.
func TestLockAfterWrongCodesDoubles(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	guess := func(wait time.Duration) {
		pending := b.signIn("ann@example.com")
		for range 10 {
			_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.wrongCode(secret))
			require.Equal(t, identity.ErrWrongCode, err)
		}
		_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
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
		pending := b.signIn("ann@example.com")
		for range 10 {
			if _, err := b.people.VerifySecondStep(b.ctx(), pending.Token,
				b.wrongCode(secret)); !apperr.Is(err, apperr.RateLimited) {
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

func TestConcurrentWrongCodesAreCountedExactly(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	pending := b.signIn("ann@example.com")
	code := b.wrongCode(secret)
	done, wrong, locked := results(t, b.concurrently(func(_ int, people *instance) error {
		_, err := people.VerifySecondStep(b.ctx(), pending.Token, code)
		return err
	}))
	require.Equal(t, [3]int{0, 10, 40}, [3]int{done, wrong, locked})
}
