package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
)

// The second step changes the token, against session fixation, and does not make an older password
// fresh. A session without its code can only give it or sign out, for ten minutes.
func TestSecondStepChangesTheToken(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	pending := b.signIn(ann)
	late := b.signIn(ann)
	require.True(t, pending.Person.TwoStep)
	for _, err := range []error{
		errorOf(b.people.TurnOffTwoStep(b.ctx(), pending.Token, proof(b.code(secret, 0)))),
		b.change(pending, proof(b.code(secret, 0))),
		b.people.SignOutEverywhere(b.ctx(), pending.Token),
		b.people.Reauthenticate(b.ctx(), pending.Token, proof(b.code(secret, 0))),
	} {
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
	b.pass(5 * time.Minute)
	seen, err := b.other.Session(b.ctx(), pending.Token) // which does not prolong it
	require.NoError(t, err)
	require.True(t, seen.SecondStepDue)
	b.pass(5*time.Minute - time.Millisecond)
	b.age(pending, "20 minutes")
	full, err := b.other.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
	require.NoError(t, err)
	require.False(t, full.SecondStepDue)
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(full, identity.Proof{}))
	require.Equal(t, pending.StartedAt, full.StartedAt, "24 h from the password")
	require.NotEqual(t, pending.Token, full.Token)
	require.False(t, b.isActive(pending.Token))
	require.ErrorIs(t, b.verify(full, b.code(secret, 1)), identity.ErrNoSession, "no code is due")
	b.pass(time.Millisecond)
	require.True(t, b.isActive(full.Token))
	require.False(t, b.isActive(late.Token))
	require.ErrorIs(t, b.verify(late, b.code(secret, 1)), identity.ErrNoSession)
}

// Codes of the current step and its two neighbours are accepted, in ascending order, each once.
func TestCodesAroundNowAreAccepted(t *testing.T) {
	b := setup(t)
	id := b.person(ann, secret)
	for _, odd := range []string{"", "abcdef", "\x00", "\u0661\u0662\u0663\u0664\u0665\u0666"} {
		require.Equal(t, identity.ErrWrongCode, b.verify(b.signIn(ann), odd), "%q", odd)
	}
	for _, c := range []struct {
		steps    []int
		accepted []bool
	}{
		{[]int{-1, 0, 1}, []bool{true, true, true}},
		{[]int{-2, 2, 0}, []bool{false, false, true}},
		{[]int{0, 0, 1, 1, -1}, []bool{true, false, true, false, false}},
	} {
		b.Exec(`update users set totp_last_step = null where id = $1`, id)
		for i, step := range c.steps {
			err := b.verify(b.signIn(ann), b.code(secret, step))
			require.Equal(t, c.accepted[i], err == nil, "%v: %v", c.steps, err)
		}
	}
}

// A code or recovery code works once on two instances, in many sessions or in one. Then it counts as
// wrong.
func TestConcurrentSessionsUseACodeOnce(t *testing.T) {
	b := setup(t)
	secret, recovery, _ := b.enrolled(ann)
	give := func(code string, sessions int) [3]int {
		b.Exec(`delete from sessions`)
		b.Exec(`delete from password_guesses`)
		var pending []identity.Session
		for range sessions {
			pending = append(pending, b.signIn(ann))
		}
		counts := b.atOnce(func(nth int, on *identity.Service) error {
			return errorOf(on.VerifySecondStep(b.ctx(), pending[nth%sessions].Token, code))
		})
		require.Equal(t, 1, b.Count(`sessions where not second_step_due`))
		return counts
	}
	require.Equal(t, 1, give(b.code(secret, 0), 1)[0])
	require.Equal(t, [3]int{1, 10, 39}, give(b.code(secret, 1), concurrency))
	require.Equal(t, [3]int{1, 10, 39}, give(recovery[0], concurrency))
	require.Equal(t, 9, b.Count(`recovery_codes`))
}

// The lock lasts an hour, so that a day allows fewer than 300 guesses. It holds for all sessions of
// the person, and refuses right codes and recovery codes too. A right code clears the count.
func TestTenWrongCodesLockThePerson(t *testing.T) {
	b := setup(t)
	secret, recovery, _ := b.enrolled(ann)
	b.person(bob, testkit.TOTPSecret)
	guess := func() error { return b.verify(b.signIn(ann), b.wrongCode(secret)) }
	for range 3 {
		b.fail(9, identity.ErrWrongCode, guess)
		require.NoError(t, b.verify(b.signIn(ann), b.code(secret, 0)))
		b.pass(time.Minute)
	}
	b.fail(5, identity.ErrWrongCode, guess)
	b.fail(5, identity.ErrWrongCode, func() error {
		return b.verify(b.signIn(ann), "0000-0000-0000-0000")
	})
	until := b.now().Add(time.Hour)
	for _, code := range []string{b.code(secret, 0), b.wrongCode(secret), recovery[0]} {
		requireLocked(t, b.verify(b.signIn(ann), code), until)
	}
	require.NoError(t, b.verify(b.signIn(bob), b.code(testkit.TOTPSecret, 0)), "nothing else is locked")
	b.pass(time.Hour - time.Millisecond)
	requireLocked(t, b.verify(b.signIn(ann), b.code(secret, 0)), until)
	b.pass(time.Millisecond)
	require.NoError(t, b.verify(b.signIn(ann), recovery[0]))
}
