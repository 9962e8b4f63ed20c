package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// A token that somebody planted before (session fixation) is worth nothing after the code.
func TestSecondStepChangesTheToken(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	pending := b.signIn("ann@example.com")
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
	_, err = b.people.VerifySecondStep(b.ctx(), full.Token, b.code(secret, 1))
	require.ErrorIs(t, err, identity.ErrNoSession, "no code is due any more")
}

// Until its code is given, a session can only give it or sign out, for ten minutes.
func TestSessionWithoutItsCodeChangesNothing(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	pending := b.signIn("ann@example.com")
	_, err := b.people.ChangePassword(b.ctx(), pending.Token, identity.Proof{Password: password},
		password+" new")
	require.ErrorIs(t, err, identity.ErrNoSession)
	_, err = b.people.TurnOffTwoStep(b.ctx(), pending.Token, proof(b.code(secret, 0)))
	require.ErrorIs(t, err, identity.ErrNoSession)
	_, err = b.people.ActiveSessions(b.ctx(), pending.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
	require.ErrorIs(t, b.people.EndSession(b.ctx(), pending.Token, "00"), identity.ErrNoSession)

	b.pass(5 * time.Minute)
	require.True(t, b.isActive(pending.Token)) // a request does not prolong it
	b.pass(5*time.Minute - time.Millisecond)
	require.True(t, b.isActive(pending.Token))
	b.pass(time.Millisecond)
	require.False(t, b.isActive(pending.Token), "10 minutes for the code")
	_, err = b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// The codes of the steps before and after are accepted, no others; each once, and none before one
// that was accepted.
func TestCodesAroundNowAreAccepted(t *testing.T) {
	for _, c := range []struct {
		steps    []int
		accepted []bool
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
				_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token,
					b.code(secret, step))
				if c.accepted[i] {
					require.NoError(t, err)
				} else {
					require.Equal(t, identity.ErrWrongCode, err)
				}
			}
		})
	}
}

func TestCodesMayContainSpaces(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	code := b.code(secret, 0)
	for _, odd := range []string{
		"", "abcdef", code[:5], code + "0", "+" + code[1:], "\x00",
		"\u0661\u0662\u0663\u0664\u0665\u0666",
	} {
		_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, odd)
		require.Equal(t, identity.ErrWrongCode, err, "%q", odd)
	}
	_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token,
		" "+code[:3]+" "+code[3:]+" ")
	require.NoError(t, err)
}

// A code works once on two instances, and those who came too late are not counted as wrong.
func TestConcurrentSessionsUseACodeOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	var sessions [50]identity.Session
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
	}
	code := b.code(secret, 0)
	done, wrong, locked := results(t, b.concurrently(func(nth int, people *instance) error {
		_, err := people.VerifySecondStep(b.ctx(), sessions[nth].Token, code)
		return err
	}))
	require.Equal(t, [3]int{1, 49, 0}, [3]int{done, wrong, locked})
	require.Equal(t, 1, one[int](b, `select count(*) from sessions where not second_step_due`))
}

func TestConcurrentCodesOfOneSessionSignInOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	pending := b.signIn("ann@example.com")
	code := b.code(secret, 0)
	require.Equal(t, 1, succeeded(b.concurrently(func(_ int, people *instance) error {
		_, err := people.VerifySecondStep(b.ctx(), pending.Token, code)
		return err
	})))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))
}
