package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// enrolled stores a person who turns two-step verification on.
func (b *bundle) enrolled(email string) (secret string, codes []string, session identity.Session) {
	b.t.Helper()
	b.person(email, "")
	session = b.signIn(email)
	offer, err := b.people.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(b.t, err)
	codes, session, err = b.people.ConfirmTwoStep(b.ctx(), session.Token,
		proof(b.code(offer.Secret, 0)))
	require.NoError(b.t, err)
	b.pass(time.Minute)
	return offer.Secret, codes, session
}

// left returns how many recovery codes the session's person has.
func (b *bundle) left(session identity.Session) int {
	b.t.Helper()
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

// New recovery codes end no other session.
func TestNewRecoveryCodesVoidTheOldOnes(t *testing.T) {
	b := setup(t)
	secret, old, session := b.enrolled(ann)
	other, err := b.people.VerifySecondStep(b.ctx(), b.signIn(ann).Token, b.code(secret, 0))
	require.NoError(t, err)
	codes, renewed, err := b.people.ReplaceRecoveryCodes(b.ctx(), session.Token, proof(old[0]))
	require.NoError(t, err)
	require.Len(t, codes, 10)
	require.Equal(t, 10, b.left(renewed))
	require.False(t, b.isActive(session.Token))
	require.True(t, b.isActive(other.Token))
	require.Equal(t, identity.ErrWrongCode, b.verify(b.signIn(ann), old[1]))
	require.NoError(t, b.verify(b.signIn(ann), codes[1]))

	off, err := b.people.TurnOffTwoStep(b.ctx(), renewed.Token, proof(codes[0]))
	require.NoError(t, err)
	require.Zero(t, b.Count(`recovery_codes`), "voided with the secret")
	_, _, err = b.people.ReplaceRecoveryCodes(b.ctx(), off.Token, proof(""))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
}
