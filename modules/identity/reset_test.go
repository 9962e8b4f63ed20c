package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// reset makes a reset with the rights of the tables' owner, as dg account reset does.
func (b *bundle) reset(email string) identity.Reset {
	reset, err := b.operator(b.Owner).BeginReset(b.ctx(), email)
	require.NoError(b.t, err)
	return reset
}

// A reset takes no password and no code, and ends all sessions of the person. The browser's session
// ends too, although it may be another person's.
func TestResetReplacesPasswordAndTwoStep(t *testing.T) {
	b := setup(t)
	secret, _, session := b.enrolled("Ann@example.com")
	pending := b.signIn(ann)
	b.fail(10, identity.ErrWrongCode, func() error { return b.verify(pending, b.wrongCode(secret)) })
	b.person(bob, "")
	bobs := b.signIn(bob)
	reset := b.reset("ANN@example.com")
	require.Equal(t, "Ann@example.com", reset.Person.Email)
	require.True(t, b.isActive(session.Token), "only its use ends sessions")
	for _, refused := range []string{"short", "password1234"} {
		require.Equal(t, "new", apperr.From(b.people.ResetPassword(b.ctx(), reset.Token, refused, "")).Field, refused)
	}
	const office = "192.0.2.9" // locked, as home is not
	b.fail(10, identity.ErrWrongPassword, func() error { return b.try(ann, wrongPassword, office) })
	require.NoError(t, b.people.ResetPassword(b.ctx(), reset.Token, replacement, ""))
	require.NoError(t, b.try(ann, replacement, office), "a reset restores access")
	require.False(t, b.isActive(session.Token))
	require.True(t, b.isActive(bobs.Token))
	require.Zero(t, b.Count(`recovery_codes`))
	require.ErrorIs(t, b.people.ResetPassword(b.ctx(), reset.Token, password, ""), identity.ErrNoReset)
	in, err := b.people.SignIn(b.ctx(), ann, replacement, "")
	require.NoError(t, err)
	require.False(t, in.SecondStepDue)
	require.Equal(t, b.now(), *in.Person.PasswordSince)
	require.NoError(t, b.people.ResetPassword(b.ctx(), b.reset(ann).Token, password, bobs.Token))
	require.False(t, b.isActive(bobs.Token))
}

// A reset lasts 30 minutes, and gives way to a newer one or a new password, also an imported one. It
// is stored as a hash and made by the owner of the tables alone.
func TestResetExpires(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	_, err := b.operator(b.Owner).BeginReset(b.ctx(), "nobody@example.com")
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.operator(b.DB).BeginReset(b.ctx(), ann)
	require.ErrorContains(t, err, "permission denied")

	first := b.reset(ann)
	second := b.reset(ann)
	require.Equal(t, 1, b.Count(`account_resets
		where token_hash = sha256($1)`, []byte(second.Token)))
	b.pass(30*time.Minute - time.Millisecond)
	whose, err := b.people.PersonOfReset(b.ctx(), second.Token)
	require.NoError(t, err)
	require.Equal(t, second.Person, whose)
	b.pass(time.Millisecond)
	third := b.reset(ann)
	b.Exec(`update users set password_hash = 'another'`)
	for _, token := range []string{"", first.Token, second.Token, third.Token} {
		_, err = b.people.PersonOfReset(b.ctx(), token)
		require.ErrorIs(t, err, identity.ErrNoReset)
		require.ErrorIs(t, b.people.ResetPassword(b.ctx(), token, replacement, ""), identity.ErrNoReset)
	}
}

func TestConcurrentResetsSucceedOnce(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	reset := b.reset(ann)
	require.Equal(t, [3]int{1, 49, 0}, b.atOnce(func(_ int, on *identity.Service) error {
		return on.ResetPassword(b.ctx(), reset.Token, replacement, "")
	}))
}
