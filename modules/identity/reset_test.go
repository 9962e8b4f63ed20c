package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// owner is the service with the rights of the tables' owner, as in dg account reset.
func (b *bundle) owner() *instance {
	return b.service(b.Owner).UseCheapHashes()
}

func (b *bundle) reset(email string) identity.Reset {
	b.t.Helper()
	reset, err := b.owner().BeginReset(b.ctx(), email)
	require.NoError(b.t, err)
	return reset
}

// It takes no password and no code, and ends all sessions of the person.
func TestResetReplacesPasswordAndTwoStep(t *testing.T) {
	b := setup(t)
	_, codes, session := b.enrolled("Ann@example.com")
	for range 10 {
		_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, "000000")
		require.Equal(t, identity.ErrWrongCode, err)
	}
	b.person("bob@example.com", "")
	bobs := b.signIn("bob@example.com")
	reset := b.reset("ANN@example.com")
	require.Equal(t, "Ann@example.com", reset.Person.Email)
	require.Equal(t, b.now().Add(30*time.Minute), reset.ExpiresAt)
	whose, err := b.people.ResetPerson(b.ctx(), reset.Token)
	require.NoError(t, err)
	require.Equal(t, reset.Person.ID, whose.ID)
	require.True(t, b.isActive(session.Token), "only its use ends sessions")

	for _, refused := range []string{"short", "password1234", password} {
		err = b.people.UseReset(b.ctx(), reset.Token, refused, "")
		require.Equal(t, "new", apperr.From(err).Field, refused)
	}
	require.NoError(t, b.other.UseReset(b.ctx(), reset.Token, replacement, ""))
	require.False(t, b.isActive(session.Token))
	require.True(t, b.isActive(bobs.Token))
	require.Zero(t, one[int](b, `select count(*) from recovery_codes`))
	require.ErrorIs(t, b.people.UseReset(b.ctx(), reset.Token, password, ""), identity.ErrNoReset)
	_, err = b.people.ResetPerson(b.ctx(), reset.Token)
	require.ErrorIs(t, err, identity.ErrNoReset)
	in, err := b.people.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
	require.NoError(t, err)
	require.False(t, in.SecondStepDue)
	require.Equal(t, b.now(), *in.Person.PasswordSince)
	_, err = b.people.VerifySecondStep(b.ctx(), in.Token, codes[0])
	require.ErrorIs(t, err, identity.ErrNoSession)

	require.NoError(t,
		b.people.UseReset(b.ctx(), b.reset("ann@example.com").Token, password, bobs.Token))
	require.False(t, b.isActive(bobs.Token),
		"the browser's session ends, although it is another person's")
}

// A reset lasts 30 minutes and gives way to a newer one. It is stored as a hash and made by the
// owner of the tables alone.
func TestResetExpires(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	_, err := b.owner().BeginReset(b.ctx(), "nobody@example.com")
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.people.BeginReset(b.ctx(), "ann@example.com")
	require.ErrorContains(t, err, "permission denied")

	first := b.reset("ann@example.com")
	second := b.reset("ann@example.com")
	require.ErrorIs(t, b.people.UseReset(b.ctx(), first.Token, replacement, ""),
		identity.ErrNoReset)
	require.Equal(t, 1,
		one[int](b,
			`select count(*) from account_resets
				where octet_length(token_hash) = 32 and position($1::bytea in token_hash) = 0`,
			[]byte(second.Token)[:8]))
	b.pass(30*time.Minute - time.Millisecond)
	_, err = b.people.ResetPerson(b.ctx(), second.Token)
	require.NoError(t, err)
	b.pass(time.Millisecond)
	_, err = b.people.ResetPerson(b.ctx(), second.Token)
	require.ErrorIs(t, err, identity.ErrNoReset)
	require.ErrorIs(t, b.people.UseReset(b.ctx(), second.Token, replacement, ""),
		identity.ErrNoReset)
	for _, token := range []string{"", "x", first.Token} {
		require.ErrorIs(t, b.people.UseReset(b.ctx(), token, replacement, ""), identity.ErrNoReset)
	}
}

func TestConcurrentResetsSucceedOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	reset := b.reset("ann@example.com")
	done := 0
	for _, err := range b.concurrently(func(_ int, people *instance) error {
		return people.UseReset(b.ctx(), reset.Token, replacement, "")
	}) {
		if err == nil {
			done++
		} else {
			require.ErrorIs(t, err, identity.ErrNoReset)
		}
	}
	require.Equal(t, 1, done)
}
