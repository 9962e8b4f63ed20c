package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// The second step changes the token, against session fixation.
func TestSecondStepChangesTheToken(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	pending := b.signIn(ann)
	require.True(t, pending.SecondStepDue)
	require.True(t, pending.Person.TwoStep)
	seen, err := b.other.Session(b.ctx(), pending.Token)
	require.NoError(t, err)
	require.True(t, seen.SecondStepDue)

	b.pass(9 * time.Minute)
	full, err := b.other.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
	require.NoError(t, err)
	require.False(t, full.SecondStepDue)
	require.Equal(t, pending.StartedAt, full.StartedAt, "24 h from the password")
	require.NotEqual(t, pending.Token, full.Token)
	require.False(t, b.isActive(pending.Token))
	require.True(t, b.isActive(full.Token))
	require.ErrorIs(t, b.verify(full, b.code(secret, 1)), identity.ErrNoSession, "no code is due")
}

// A session without its code can only give it or sign out, for ten minutes.
func TestSessionWithoutItsCodeChangesNothing(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	pending := b.signIn(ann)
	_, offErr := b.people.TurnOffTwoStep(b.ctx(), pending.Token, proof(b.code(secret, 0)))
	for _, err := range []error{
		offErr, b.change(pending, proof(b.code(secret, 0))),
		b.people.SignOutEverywhere(b.ctx(), pending.Token),
		b.people.Reauthenticate(b.ctx(), pending.Token, proof(b.code(secret, 0))),
	} {
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
	b.pass(5 * time.Minute)
	require.True(t, b.isActive(pending.Token)) // a request does not prolong it
	b.pass(5*time.Minute - time.Millisecond)
	require.True(t, b.isActive(pending.Token))
	b.pass(time.Millisecond)
	require.False(t, b.isActive(pending.Token), "10 minutes for the code")
	require.ErrorIs(t, b.verify(pending, b.code(secret, 0)), identity.ErrNoSession)
}

// Codes of the current step and its two neighbours are accepted, in ascending order, each once.
func TestCodesAroundNowAreAccepted(t *testing.T) {
	b := setup(t)
	id := b.person(ann, secret)
	code := b.code(secret, 0)
	for _, odd := range []string{
		"", "abcdef", code[:5], code + "0", "+" + code[1:], "\x00",
		"\u0661\u0662\u0663\u0664\u0665\u0666",
	} {
		require.Equal(t, identity.ErrWrongCode, b.verify(b.signIn(ann), odd), "%q", odd)
	}
	require.NoError(t, b.verify(b.signIn(ann), " "+code[:3]+" "+code[3:]+" "))
	for _, c := range []struct {
		steps    []int
		accepted []bool
	}{
		{[]int{-1, 0, 1}, []bool{true, true, true}},
		{[]int{-2, 2, 0}, []bool{false, false, true}},
		{[]int{0, 0, 1, 1}, []bool{true, false, true, false}},
		{[]int{1, 0, -1}, []bool{true, false, false}},
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
	var sessions [concurrency]identity.Session
	give := func(code string) [3]int {
		return b.atOnce(func(nth int, on *identity.Service) error {
			return second(on.VerifySecondStep(b.ctx(), sessions[nth].Token, code))
		})
	}
	b.Exec(`delete from sessions`)
	pending := b.signIn(ann)
	for i := range sessions {
		sessions[i] = pending
	}
	require.Equal(t, 1, give(b.code(secret, 0))[0])
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))

	b.Exec(`delete from password_guesses`)
	sessions = b.signInOften(ann)
	require.Equal(t, [3]int{1, 10, 39}, give(b.code(secret, 1)))
	require.Equal(t, 2, one[int](b, `select count(*) from sessions where not second_step_due`))
	b.Exec(`delete from password_guesses`)
	sessions = b.signInOften(ann)
	require.Equal(t, [3]int{1, 10, 39}, give(recovery[0]))
	require.Equal(t, 9, one[int](b, `select count(*) from recovery_codes`))
}
