package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit/fixtures"
)

// guessCodes gives so many wrong codes.
func (b *bundle) guessCodes(times int, of identity.Session, secret string) {
	b.t.Helper()
	b.fail(times, identity.ErrWrongCode, func() error { return b.verify(of, b.wrongCode(secret)) })
}

// The lock holds for all sessions of the person, and refuses right codes and recovery codes too.
// The second lock is longer. A right code clears the count.
func TestTenWrongCodesLockThePerson(t *testing.T) {
	b := setup(t)
	secret, recovery, _ := b.enrolled(ann)
	b.person(bob, fixtures.TOTPSecret)
	guess := func(wait time.Duration) {
		pending := b.signIn(ann)
		b.guessCodes(5, pending, secret)
		b.fail(5, identity.ErrWrongCode, func() error {
			return b.verify(pending, "0000-0000-0000-0000")
		})
		until := b.now().Add(wait)
		for _, code := range []string{b.code(secret, 0), b.wrongCode(secret), recovery[0]} {
			requireLocked(t, b.verify(b.signIn(ann), code), until)
		}
		b.pass(wait - time.Millisecond)
		requireLocked(t, b.verify(pending, b.code(secret, 0)), until)
		b.pass(time.Millisecond)
	}
	guess(time.Minute)
	b.signInFully(bob) // nothing else is locked
	guess(2 * time.Minute)
	for range 3 {
		b.guessCodes(9, b.signIn(ann), secret)
		require.NoError(t, b.verify(b.signIn(ann), b.code(secret, 0)))
		b.pass(time.Minute)
	}
	guess(time.Minute)
	require.Equal(t, 10, one[int](b, `select count(*) from recovery_codes`))
}

func TestConcurrentWrongCodesAreCountedExactly(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	pending := b.signIn(ann)
	code := b.wrongCode(secret)
	require.Equal(t, [3]int{0, 10, 40}, b.atOnce(func(_ int, on *identity.Service) error {
		return second(on.VerifySecondStep(b.ctx(), pending.Token, code))
	}))
}
