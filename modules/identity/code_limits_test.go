package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
)

// guessCodes gives so many wrong codes.
func (b *bundle) guessCodes(times int, of identity.Session, secret string) {
	b.t.Helper()
	b.fail(times, identity.ErrWrongCode, func() error { return b.verify(of, b.wrongCode(secret)) })
}

// The lock lasts an hour, so that a day allows fewer than 300 guesses. It holds for all sessions of
// the person, and refuses right codes and recovery codes too. A right code clears the count.
func TestTenWrongCodesLockThePerson(t *testing.T) {
	b := setup(t)
	secret, recovery, _ := b.enrolled(ann)
	b.person(bob, testkit.TOTPSecret)
	for range 3 {
		b.guessCodes(9, b.signIn(ann), secret)
		require.NoError(t, b.verify(b.signIn(ann), b.code(secret, 0)))
		b.pass(time.Minute)
	}
	b.guessCodes(5, b.signIn(ann), secret)
	b.fail(5, identity.ErrWrongCode, func() error {
		return b.verify(b.signIn(ann), "0000-0000-0000-0000")
	})
	until := b.now().Add(time.Hour)
	for _, code := range []string{b.code(secret, 0), b.wrongCode(secret), recovery[0]} {
		requireLocked(t, b.verify(b.signIn(ann), code), until)
	}
	b.signInFully(bob) // nothing else is locked
	b.pass(time.Hour - time.Millisecond)
	requireLocked(t, b.verify(b.signIn(ann), b.code(secret, 0)), until)
	b.pass(time.Millisecond)
	require.NoError(t, b.verify(b.signIn(ann), recovery[0]))
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
