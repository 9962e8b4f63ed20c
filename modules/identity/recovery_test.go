package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// enrolled stores somebody who turns two-step verification on.
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

// left is how many recovery codes the session's person has.
func (b *bundle) left(session identity.Session) int {
	b.t.Helper()
	left, err := b.other.RecoveryCodesLeft(b.ctx(), session.Token)
	require.NoError(b.t, err)
	return left
}

// Ten readable codes, stored as hashes; each works once in place of the app's code, however it is
// typed.
func TestRecoveryCodeWorksOnce(t *testing.T) {
	b := setup(t)
	secret, codes, session := b.enrolled("ann@example.com")
	require.Len(t, codes, 10)
	unique := map[string]bool{}
	for _, code := range codes {
		unique[code] = true
		require.Regexp(t, `^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$`, code)
		require.Zero(t,
			one[int](b,
				`select count(*) from recovery_codes
					where code_hash = $1 or encode(code_hash, 'escape') like '%' || $2 || '%'`,
				[]byte(code), code[:4]))
	}
	require.Len(t, unique, 10)
	require.Equal(t, 10, b.left(session))
	ambiguous := strings.NewReplacer("0", "O", "1", "l").Replace(codes[2])
	for i, typed := range []string{
		codes[0], strings.ToUpper(codes[1]), ambiguous,
		" " + strings.ReplaceAll(codes[3], "-", " "),
		strings.ReplaceAll(codes[4], "-", ""),
	} {
		pending := b.signIn("ann@example.com")
		full, err := b.people.VerifySecondStep(b.ctx(), pending.Token, typed)
		require.NoError(t, err, typed)
		require.False(t, full.SecondStepDue)
		_, err = b.other.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, typed)
		require.Equal(t, identity.ErrWrongCode, err, "a second time")
		require.Equal(t, 9-i, b.left(full))
	}
	_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token,
		b.code(secret, 0))
	require.NoError(t, err, "codes of the app still work")
}

func TestRecoveryCodeOfAnotherPersonIsWrong(t *testing.T) {
	b := setup(t)
	_, anns, _ := b.enrolled("ann@example.com")
	b.enrolled("bob@example.com")
	_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("bob@example.com").Token, anns[0])
	require.Equal(t, identity.ErrWrongCode, err)
	_, err = b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, anns[0])
	require.NoError(t, err)
}

func TestConcurrentSessionsUseARecoveryCodeOnce(t *testing.T) {
	b := setup(t)
	_, codes, _ := b.enrolled("ann@example.com")
	var sessions [50]identity.Session
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
	}
	done, _, _ := results(t, b.concurrently(func(nth int, people *instance) error {
		_, err := people.VerifySecondStep(b.ctx(), sessions[nth].Token, codes[0])
		return err
	}))
	require.Equal(t, 1, done)
	require.Equal(t, 1,
		one[int](b, `select count(*) from sessions where not second_step_due and created_at = $1`,
			b.now()))
	require.Equal(t, 9, one[int](b, `select count(*) from recovery_codes`))
}

// They are counted with wrong codes, and a lock refuses a right one.
func TestWrongRecoveryCodesAreCounted(t *testing.T) {
	b := setup(t)
	secret, codes, _ := b.enrolled("ann@example.com")
	pending := b.signIn("ann@example.com")
	for i := range 10 {
		guess := "0000-0000-0000-0000"
		if i%2 == 0 {
			guess = b.wrongCode(secret)
		}
		_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, guess)
		require.Equal(t, identity.ErrWrongCode, err)
	}
	_, err := b.other.VerifySecondStep(b.ctx(), pending.Token, codes[0])
	require.True(t, apperr.Is(err, apperr.RateLimited))
	require.Equal(t, 10, one[int](b, `select count(*) from recovery_codes`))
}

// Other sessions continue.
func TestNewRecoveryCodesVoidTheOldOnes(t *testing.T) {
	b := setup(t)
	secret, old, session := b.enrolled("ann@example.com")
	other, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token,
		b.code(secret, 0))
	require.NoError(t, err)
	for _, wrong := range []identity.Proof{
		{}, {Code: b.code(secret, 1)}, proof(""), proof(b.wrongCode(secret)),
	} {
		_, _, err := b.people.ReplaceRecoveryCodes(b.ctx(), session.Token, wrong)
		require.True(t, apperr.Is(err, apperr.Validation), "%v", wrong)
	}
	codes, renewed, err := b.people.ReplaceRecoveryCodes(b.ctx(), session.Token, proof(old[0]))
	require.NoError(t, err)
	require.Len(t, codes, 10)
	require.Equal(t, 10, b.left(renewed))
	require.False(t, b.isActive(session.Token))
	require.True(t, b.isActive(other.Token))
	_, err = b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, old[1])
	require.Equal(t, identity.ErrWrongCode, err)
	_, err = b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, codes[1])
	require.NoError(t, err)

	b.person("bob@example.com", "")
	_, _, err = b.people.ReplaceRecoveryCodes(b.ctx(), b.signIn("bob@example.com").Token, proof(""))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
}

// A recovery code turns two-step verification off.
func TestRecoveryCodesAreVoidedWithTheirSecret(t *testing.T) {
	b := setup(t)
	_, codes, session := b.enrolled("ann@example.com")
	off, err := b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(codes[0]))
	require.NoError(t, err)
	require.False(t, off.Person.TwoStep)
	require.Zero(t, one[int](b, `select count(*) from recovery_codes`))

	b.enrolled("bob@example.com")
	b.Exec(`update users set name = 'Bob' where email_key = 'bob@example.com'`)
	require.Equal(t, 10, one[int](b, `select count(*) from recovery_codes`))
	b.Exec(`update users set totp_secret = $1 where email_key = 'bob@example.com'`, secret)
	require.Zero(t, one[int](b, `select count(*) from recovery_codes`))
}
