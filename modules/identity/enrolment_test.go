package identity_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

func TestChangingTwoStepTakesThePassword(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	enrolment, err := b.people.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	confirm := func(password string) error {
		_, _, err := b.people.ConfirmTwoStep(b.ctx(), session.Token,
			identity.Proof{Password: password, Code: b.code(enrolment.Secret, 0)})
		return err
	}
	for range 5 {
		require.Equal(t, identity.ErrWrongPassword, confirm(""))
		_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token,
			identity.Proof{Password: replacement})
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	require.True(t, apperr.Is(confirm(password), apperr.RateLimited))
	b.pass(10 * time.Minute)
	require.NoError(t, confirm(password))
}

// All other sessions end; this one continues under another token.
func TestTwoStepIsOnOnceACodeConfirmsIt(t *testing.T) {
	b := setup(t)
	b.person("Ann+1@Example.com", "")
	session := b.signIn("ann+1@example.com")
	other := b.signIn("ann+1@example.com")
	_, _, err := b.people.ConfirmTwoStep(b.ctx(), session.Token, proof("123456"))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
	enrolment, err := b.people.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	again, err := b.other.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	require.Equal(t, enrolment, again, "a reloaded page shows the secret that was scanned")
	others, err := b.people.BeginTwoStep(b.ctx(), other.Token)
	require.NoError(t, err)
	require.NotEqual(t, enrolment.Secret, others.Secret)
	require.Len(t, enrolment.Secret, 32)
	u, err := url.Parse(enrolment.URL)
	require.NoError(t, err)
	require.Equal(t, "otpauth://totp/DG:Ann+1@Example.com", u.Scheme+"://"+u.Host+u.Path)
	require.Equal(t, url.Values{"secret": {enrolment.Secret}, "issuer": {"DG"}}, u.Query())
	require.False(t, b.signIn("ann+1@example.com").SecondStepDue, "not in force yet")

	_, _, err = b.people.ConfirmTwoStep(b.ctx(), session.Token,
		proof(b.wrongCode(enrolment.Secret)))
	require.Equal(t, identity.ErrWrongCode, err)
	require.True(t, b.isActive(session.Token))
	b.pass(time.Minute)
	_, renewed, err := b.people.ConfirmTwoStep(b.ctx(), session.Token,
		proof(b.code(enrolment.Secret, 0)))
	require.NoError(t, err)
	require.True(t, renewed.Person.TwoStep)
	require.Equal(t, b.now(), *renewed.Person.TwoStepSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(other.Token))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))

	pending := b.signIn("ann+1@example.com")
	require.True(t, pending.SecondStepDue)
	_, err = b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(enrolment.Secret, 0))
	require.Equal(t, identity.ErrWrongCode, err, "the code confirmed the secret")
	_, err = b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(enrolment.Secret, 1))
	require.NoError(t, err)
	_, err = b.people.BeginTwoStep(b.ctx(), renewed.Token)
	require.ErrorIs(t, err, identity.ErrTwoStepOn)
	_, _, err = b.people.ConfirmTwoStep(b.ctx(), renewed.Token, proof(b.code(enrolment.Secret, 0)))
	require.ErrorIs(t, err, identity.ErrTwoStepOn)
	_, err = b.people.BeginTwoStep(b.ctx(), session.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// Wrong codes are counted as at the sign-in, and all other sessions end.
func TestTurningTwoStepOffTakesACode(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	session := b.signInFully("ann@example.com")
	pending := b.signIn("ann@example.com")
	require.Nil(t, session.Person.TwoStepSince, "turned on before that was recorded")
	_, err := b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 0)))
	require.Equal(t, identity.ErrWrongCode, err, "the code was used to sign in")
	for range 10 {
		_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.wrongCode(secret)))
		require.Equal(t, identity.ErrWrongCode, err)
	}
	_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 1)))
	require.True(t, apperr.Is(err, apperr.RateLimited))
	b.pass(time.Minute)
	renewed, err := b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 0)))
	require.NoError(t, err)
	require.False(t, renewed.Person.TwoStep)
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(pending.Token))
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.signIn("ann@example.com").SecondStepDue)
	_, err = b.people.TurnOffTwoStep(b.ctx(), renewed.Token, proof(b.code(secret, 1)))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
}

func TestConcurrentConfirmationsTurnTwoStepOnOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	var sessions [50]identity.Session
	var secrets [50]string
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
		enrolment, err := b.people.BeginTwoStep(b.ctx(), sessions[i].Token)
		require.NoError(t, err)
		secrets[i] = enrolment.Secret
	}
	winner := -1
	for i, err := range b.concurrently(func(nth int, people *instance) error {
		_, _, err := people.ConfirmTwoStep(b.ctx(), sessions[nth].Token,
			proof(b.code(secrets[nth], 0)))
		return err
	}) {
		if err == nil {
			require.Equal(t, -1, winner, "two confirmations succeeded")
			winner = i
		}
	}
	require.GreaterOrEqual(t, winner, 0)
	require.Equal(t, secrets[winner], one[string](b, `select totp_secret from users`))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))
}
