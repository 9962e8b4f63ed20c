package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// offer enters the password and returns the offer with the session that continues.
func (b *bundle) offer(of identity.Session) (identity.Enrolment, identity.Session) {
	continued, err := b.other.BeginTwoStep(b.ctx(), of.Token, proof(""))
	require.NoError(b.t, err)
	offer, err := b.people.OfferedTwoStep(b.ctx(), continued.Token)
	require.NoError(b.t, err)
	return offer, continued
}

func (b *bundle) confirm(of identity.Session, code string) (identity.Session, error) {
	_, session, err := b.people.ConfirmTwoStep(b.ctx(), of.Token, code)
	return session, err
}

// The secret that two-step verification is set up with is made after the password, for a new token: a
// thief of the old one never sees it. It is offered for 15 minutes, and each password makes another.
func TestOfferedSecretIsMadeAfterThePassword(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	stolen := b.signIn(ann)
	offered := func(to identity.Session) (identity.Enrolment, error) {
		return b.other.OfferedTwoStep(b.ctx(), to.Token)
	}
	require.ErrorIs(t, errorOf(offered(stolen)), identity.ErrTwoStepOff)
	_, err := b.people.BeginTwoStep(b.ctx(), stolen.Token, identity.Proof{Password: wrongPassword})
	require.Equal(t, identity.ErrWrongPassword, err)
	require.ErrorIs(t, errorOf(offered(stolen)), identity.ErrTwoStepOff)

	first, own := b.offer(stolen)
	for _, err := range []error{errorOf(offered(stolen)), errorOf(b.confirm(stolen, b.code(first.Secret, 0)))} {
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
	again, err := offered(own)
	require.NoError(t, err)
	require.Equal(t, first, again, "a reloaded page shows the secret that was scanned")
	second, own := b.offer(own)
	require.NotEqual(t, first.Secret, second.Secret)
	b.age(own, "15 minutes 1 second")
	for _, err := range []error{errorOf(offered(own)), errorOf(b.confirm(own, b.code(second.Secret, 0)))} {
		require.ErrorIs(t, err, identity.ErrTwoStepOff)
	}
}

// Turning two-step verification on ends all other sessions, and so does turning it off, which takes a
// code. This session continues under a new token.
func TestTwoStepIsOnOnceACodeConfirmsIt(t *testing.T) {
	b := setup(t)
	b.person("Ann@Example.com", "")
	session := b.signIn(ann)
	other := b.signIn(ann)
	require.ErrorIs(t, errorOf(b.confirm(session, "123456")), identity.ErrTwoStepOff)
	others, _ := b.offer(other)
	offer, session := b.offer(session)
	require.NotEqual(t, offer.Secret, others.Secret)
	require.Regexp(t, `^[A-Z2-7]{32}$`, offer.Secret)
	require.Equal(t, "otpauth://totp/DG:Ann@Example.com?secret="+offer.Secret+"&issuer=DG", offer.URL)
	require.Equal(t, identity.ErrWrongCode,
		errorOf(b.confirm(session, b.wrongCode(offer.Secret))))
	require.False(t, b.signIn(ann).SecondStepDue, "not in force yet")
	b.pass(time.Minute)
	on, err := b.confirm(session, b.code(offer.Secret, 0))
	require.NoError(t, err)
	require.True(t, on.Person.TwoStep)
	require.Equal(t, b.now(), *on.Person.TwoStepSince)
	require.Equal(t, session.StartedAt, on.StartedAt)
	require.True(t, b.isActive(on.Token))
	require.Equal(t, 1, b.Count(`sessions`))
	require.ErrorIs(t, errorOf(b.people.BeginTwoStep(b.ctx(), on.Token, proof(""))), identity.ErrTwoStepOn)
	require.ErrorIs(t, errorOf(b.confirm(on, b.code(offer.Secret, 1))), identity.ErrTwoStepOn)

	pending := b.signIn(ann)
	require.True(t, pending.SecondStepDue)
	require.Equal(t, identity.ErrWrongCode, b.verify(pending, b.code(offer.Secret, 0)),
		"the code confirmed the secret")
	off, err := b.people.TurnOffTwoStep(b.ctx(), on.Token, proof(b.code(offer.Secret, 1)))
	require.NoError(t, err)
	require.False(t, off.Person.TwoStep)
	require.True(t, b.isActive(off.Token))
	require.Equal(t, 1, b.Count(`sessions`))
	require.Zero(t, b.Count(`recovery_codes`), "voided with the secret")
	require.ErrorIs(t, errorOf(b.people.TurnOffTwoStep(b.ctx(), off.Token, proof(""))), identity.ErrTwoStepOff)
}

func (b *bundle) enrolled(email string) (secret string, codes []string, session identity.Session) {
	b.person(email, "")
	session = b.signIn(email)
	offer, session := b.offer(session)
	codes, session, err := b.people.ConfirmTwoStep(b.ctx(), session.Token, b.code(offer.Secret, 0))
	require.NoError(b.t, err)
	b.pass(time.Minute)
	return offer.Secret, codes, session
}

func (b *bundle) left(session identity.Session) int {
	left, err := b.other.RecoveryCodesLeft(b.ctx(), session.Token)
	require.NoError(b.t, err)
	return left
}

// A person gets ten readable codes, stored as hashes. Each works once, in any spelling.
func TestRecoveryCodeWorksOnce(t *testing.T) {
	b := setup(t)
	secret, codes, session := b.enrolled(ann)
	unique := map[string]bool{}
	for _, code := range codes {
		unique[code] = true
		require.Regexp(t, `^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$`, code)
		require.Zero(t, b.Count(`recovery_codes
			where encode(code_hash, 'escape') like '%' || $1 || '%'`, code[:4]))
	}
	require.Len(t, unique, 10)
	require.Equal(t, 10, b.left(session))
	b.enrolled(bob)
	require.Equal(t, identity.ErrWrongCode, b.verify(b.signIn(bob), codes[0]), "another person's")
	for i, typed := range []string{
		codes[0], strings.NewReplacer("0", "O", "1", "l").Replace(codes[1]),
		" " + strings.ToUpper(strings.ReplaceAll(codes[2], "-", " ")),
	} {
		require.NoError(t, b.verify(b.signIn(ann), typed), typed)
		require.Equal(t, identity.ErrWrongCode, b.verify(b.signIn(ann), typed), "a second time")
		require.Equal(t, 9-i, b.left(session))
	}
	require.NoError(t, b.verify(b.signIn(ann), b.code(secret, 0)), "codes of the app still work")
}
