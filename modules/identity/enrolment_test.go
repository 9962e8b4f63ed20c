package identity_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

func (b *bundle) offer(of identity.Session) identity.Enrolment {
	b.t.Helper()
	offer, err := b.other.BeginTwoStep(b.ctx(), of.Token)
	require.NoError(b.t, err)
	return offer
}

func (b *bundle) confirm(of identity.Session, given identity.Proof) (identity.Session, error) {
	_, session, err := b.people.ConfirmTwoStep(b.ctx(), of.Token, given)
	return session, err
}

func (b *bundle) turnOff(of identity.Session, given identity.Proof) (identity.Session, error) {
	return b.people.TurnOffTwoStep(b.ctx(), of.Token, given)
}

// Turning two-step verification on ends all other sessions. This one continues under a new token.
func TestTwoStepIsOnOnceACodeConfirmsIt(t *testing.T) {
	b := setup(t)
	b.person("Ann+1@Example.com", "")
	session := b.signIn("ann+1@example.com")
	other := b.signIn("ann+1@example.com")
	_, err := b.confirm(session, proof("123456"))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
	offer := b.offer(session)
	require.Equal(t, offer, b.offer(session), "a reloaded page shows the secret that was scanned")
	require.NotEqual(t, offer.Secret, b.offer(other).Secret)
	require.Len(t, offer.Secret, 32)
	u, err := url.Parse(offer.URL)
	require.NoError(t, err)
	require.Equal(t, "otpauth://totp/DG:Ann+1@Example.com", u.Scheme+"://"+u.Host+u.Path)
	require.Equal(t, url.Values{"secret": {offer.Secret}, "issuer": {"DG"}}, u.Query())
	require.False(t, b.signIn("ann+1@example.com").SecondStepDue, "not in force yet")

	_, err = b.confirm(session, proof(b.wrongCode(offer.Secret)))
	require.Equal(t, identity.ErrWrongCode, err)
	require.True(t, b.isActive(session.Token))
	b.pass(time.Minute)
	renewed, err := b.confirm(session, proof(b.code(offer.Secret, 0)))
	require.NoError(t, err)
	require.True(t, renewed.Person.TwoStep)
	require.Equal(t, b.now(), *renewed.Person.TwoStepSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	require.True(t, b.isActive(renewed.Token))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))

	pending := b.signIn("ann+1@example.com")
	require.True(t, pending.SecondStepDue)
	require.Equal(t, identity.ErrWrongCode, b.verify(pending, b.code(offer.Secret, 0)),
		"the code confirmed the secret")
	require.NoError(t, b.verify(pending, b.code(offer.Secret, 1)))
	_, err = b.people.BeginTwoStep(b.ctx(), renewed.Token)
	require.ErrorIs(t, err, identity.ErrTwoStepOn)
	_, err = b.confirm(renewed, proof(b.code(offer.Secret, 0)))
	require.ErrorIs(t, err, identity.ErrTwoStepOn)
	_, err = b.people.BeginTwoStep(b.ctx(), session.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// Turning off takes a code, and ends all other sessions.
func TestTurningTwoStepOffTakesACode(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	session := b.signInFully(ann)
	pending := b.signIn(ann)
	require.Nil(t, session.Person.TwoStepSince, "turned on before that was recorded")
	_, err := b.turnOff(session, proof(b.code(secret, 0)))
	require.Equal(t, identity.ErrWrongCode, err, "the code was used to sign in")
	b.pass(time.Minute)
	renewed, err := b.turnOff(session, proof(b.code(secret, 0)))
	require.NoError(t, err)
	require.False(t, renewed.Person.TwoStep)
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(pending.Token))
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.signIn(ann).SecondStepDue)
	_, err = b.turnOff(renewed, proof(b.code(secret, 1)))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
}
