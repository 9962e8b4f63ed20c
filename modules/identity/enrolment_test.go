package identity_test

import (
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

// Turning two-step verification on ends all other sessions, and so does turning it off, which takes a
// code. This session continues under a new token.
func TestTwoStepIsOnOnceACodeConfirmsIt(t *testing.T) {
	b := setup(t)
	b.person("Ann@Example.com", "")
	session := b.signIn(ann)
	other := b.signIn(ann)
	require.ErrorIs(t, second(b.confirm(session, proof("123456"))), identity.ErrTwoStepOff)
	offer := b.offer(session)
	require.Equal(t, offer, b.offer(session), "a reloaded page shows the secret that was scanned")
	require.NotEqual(t, offer.Secret, b.offer(other).Secret)
	require.Regexp(t, `^[A-Z2-7]{32}$`, offer.Secret)
	require.Equal(t, "otpauth://totp/DG:Ann@Example.com?secret="+offer.Secret+"&issuer=DG", offer.URL)
	require.Equal(t, identity.ErrWrongCode,
		second(b.confirm(session, proof(b.wrongCode(offer.Secret)))))
	require.False(t, b.signIn(ann).SecondStepDue, "not in force yet")
	b.pass(time.Minute)
	on, err := b.confirm(session, proof(b.code(offer.Secret, 0)))
	require.NoError(t, err)
	require.True(t, on.Person.TwoStep)
	require.Equal(t, b.now(), *on.Person.TwoStepSince)
	require.Equal(t, session.StartedAt, on.StartedAt)
	require.True(t, b.isActive(on.Token))
	require.Equal(t, 1, b.Count(`sessions`))
	require.ErrorIs(t, second(b.people.BeginTwoStep(b.ctx(), on.Token)), identity.ErrTwoStepOn)
	require.ErrorIs(t, second(b.confirm(on, proof(b.code(offer.Secret, 1)))), identity.ErrTwoStepOn)

	pending := b.signIn(ann)
	require.True(t, pending.SecondStepDue)
	require.Equal(t, identity.ErrWrongCode, b.verify(pending, b.code(offer.Secret, 0)),
		"the code confirmed the secret")
	off, err := b.people.TurnOffTwoStep(b.ctx(), on.Token, proof(b.code(offer.Secret, 1)))
	require.NoError(t, err)
	require.False(t, off.Person.TwoStep)
	require.True(t, b.isActive(off.Token))
	require.Equal(t, 1, b.Count(`sessions`))
	require.ErrorIs(t, second(b.people.TurnOffTwoStep(b.ctx(), off.Token, proof(""))), identity.ErrTwoStepOff)
}
