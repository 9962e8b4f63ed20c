package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// The second step changes the token, against session fixation. A pending session lasts ten minutes.
func TestSecondStepChangesTheToken(t *testing.T) {
	b := setup(t)
	b.storePerson(annEmail, totpSecret)
	pending := b.signIn(annEmail)
	lateSession := b.signIn(annEmail)
	require.True(t, pending.Person.TwoStep)
	for _, err := range []error{
		tb.ErrorOf(b.service.TurnOffTwoStep(b.ctx(), pending.Token, proof(b.code(totpSecret, 0)))),
		b.changePassword(pending, proof(b.code(totpSecret, 0))),
		b.service.SignOutEverywhere(b.ctx(), pending.Token),
		b.service.Reauthenticate(b.ctx(), pending.Token, proof(b.code(totpSecret, 0))),
	} {
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
	b.advance(5 * time.Minute)
	foundSession := tb.Must(b.otherInstance.Session(b.ctx(), pending.Token))(t) // a read does not extend the session
	require.True(t, foundSession.SecondStepDue)
	b.advance(5*time.Minute - time.Millisecond)
	b.agePassword(pending, "20 minutes")
	signedIn := tb.Must(b.otherInstance.VerifySecondStep(b.ctx(), pending.Token, b.code(totpSecret, 0)))(t)
	require.False(t, signedIn.SecondStepDue)
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(signedIn, identity.Proof{}))
	require.Equal(t, pending.StartedAt, signedIn.StartedAt, "24 h from the password")
	require.NotEqual(t, pending.Token, signedIn.Token)
	require.False(t, b.isActive(pending.Token))
	require.ErrorIs(t, b.verifyCode(signedIn, b.code(totpSecret, 1)), identity.ErrNoSession, "no code is due")
	b.advance(time.Millisecond)
	require.True(t, b.isActive(signedIn.Token))
	require.False(t, b.isActive(lateSession.Token))
	require.ErrorIs(t, b.verifyCode(lateSession, b.code(totpSecret, 1)), identity.ErrNoSession)
}

// Codes of the previous, current and next step are accepted, in ascending order, each once.
func TestCodesOfNeighbouringStepsAreAccepted(t *testing.T) {
	b := setup(t)
	id := b.storePerson(annEmail, totpSecret)
	for _, malformed := range []string{"", "abcdef", "\x00", "\u0661\u0662\u0663\u0664\u0665\u0666"} {
		require.Equal(t, identity.ErrWrongCode, b.verifyCode(b.signIn(annEmail), malformed), "%q", malformed)
	}
	for _, c := range []struct {
		steps    []int
		accepted []bool
	}{
		{[]int{-1, 0, 1}, []bool{true, true, true}},
		{[]int{-2, 2, 0}, []bool{false, false, true}},
		{[]int{0, 0, 1, 1, -1}, []bool{true, false, true, false, false}},
	} {
		b.Exec(`update users set totp_last_step = null where id = $1`, id)
		for i, step := range c.steps {
			err := b.verifyCode(b.signIn(annEmail), b.code(totpSecret, step))
			require.Equal(t, c.accepted[i], err == nil, "%v: %v", c.steps, err)
		}
	}
}

// A code or recovery code works once over two instances and many sessions. A second use counts as wrong.
func TestConcurrentSessionsUseACodeOnce(t *testing.T) {
	b := setup(t)
	secret, recoveryCodes, _ := b.enrolPerson(annEmail)
	enterInSessions := func(code string, sessions int) [3]int {
		b.Exec(`delete from sessions`)
		b.Exec(`delete from password_guesses`)
		var pendingSessions []identity.Session
		for range sessions {
			pendingSessions = append(pendingSessions, b.signIn(annEmail))
		}
		counts := b.countResults(func(i int, instance *identity.Service) error {
			return tb.ErrorOf(instance.VerifySecondStep(b.ctx(), pendingSessions[i%sessions].Token, code))
		})
		require.Equal(t, 1, b.CountRows(`sessions where not second_step_due`))
		return counts
	}
	require.Equal(t, 1, enterInSessions(b.code(secret, 0), 1)[0])
	require.Equal(t, [3]int{1, 10, 39}, enterInSessions(b.code(secret, 1), concurrency))
	require.Equal(t, [3]int{1, 10, 39}, enterInSessions(recoveryCodes[0], concurrency))
	require.Equal(t, 9, b.CountRows(`recovery_codes`))
}

// Ten wrong codes lock the person for an hour, which allows about 240 guesses a day. A correct code resets the count.
func TestTenWrongCodesLockThePerson(t *testing.T) {
	b := setup(t)
	secret, recoveryCodes, _ := b.enrolPerson(annEmail)
	b.storePerson(bobEmail, testkit.TOTPSecret)
	guess := func() error { return b.verifyCode(b.signIn(annEmail), b.wrongCode(secret)) }
	for range 3 {
		b.requireFailures(9, identity.ErrWrongCode, guess)
		require.NoError(t, b.verifyCode(b.signIn(annEmail), b.code(secret, 0)))
		b.advance(time.Minute)
	}
	b.requireFailures(5, identity.ErrWrongCode, guess)
	b.requireFailures(5, identity.ErrWrongCode, func() error {
		return b.verifyCode(b.signIn(annEmail), "0000-0000-0000-0000")
	})
	until := b.now().Add(time.Hour)
	for _, code := range []string{b.code(secret, 0), b.wrongCode(secret), recoveryCodes[0]} {
		requireLocked(t, b.verifyCode(b.signIn(annEmail), code), until)
	}
	require.NoError(t, b.verifyCode(b.signIn(bobEmail), b.code(testkit.TOTPSecret, 0)), "nothing else is locked")
	b.advance(time.Hour - time.Millisecond)
	requireLocked(t, b.verifyCode(b.signIn(annEmail), b.code(secret, 0)), until)
	b.advance(time.Millisecond)
	require.NoError(t, b.verifyCode(b.signIn(annEmail), recoveryCodes[0]))
}

// offerTwoStep enters the password and returns the offer and the session under its new token.
func (b *fixture) offerTwoStep(session identity.Session) (identity.Enrolment, identity.Session) {
	newSession := tb.Must(b.otherInstance.BeginTwoStep(b.ctx(), session.Token, proof("")))(b.t)
	offer := tb.Must(b.service.OfferedTwoStep(b.ctx(), newSession.Token))(b.t)
	return offer, newSession
}

func (b *fixture) confirmTwoStep(session identity.Session, code string) (identity.Session, error) {
	_, newSession, err := b.service.ConfirmTwoStep(b.ctx(), session.Token, code)
	return newSession, err
}

// The offered secret is made after the password check, for a new token: a thief of the old token cannot read it.
func TestSecretIsOfferedAfterThePassword(t *testing.T) {
	b := setup(t)
	b.storePerson(annEmail, "")
	stolenSession := b.signIn(annEmail)
	offer := func(session identity.Session) (identity.Enrolment, error) {
		return b.otherInstance.OfferedTwoStep(b.ctx(), session.Token)
	}
	require.ErrorIs(t, tb.ErrorOf(offer(stolenSession)), identity.ErrTwoStepOff)
	_, err := b.service.BeginTwoStep(b.ctx(), stolenSession.Token, identity.Proof{Password: wrongPassword})
	require.Equal(t, identity.ErrWrongPassword, err)
	require.ErrorIs(t, tb.ErrorOf(offer(stolenSession)), identity.ErrTwoStepOff)

	firstOffer, session := b.offerTwoStep(stolenSession)
	for _, err := range []error{
		tb.ErrorOf(offer(stolenSession)), tb.ErrorOf(b.confirmTwoStep(stolenSession, b.code(firstOffer.Secret, 0))),
	} {
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
	reloadedOffer := tb.Must(offer(session))(t)
	require.Equal(t, firstOffer, reloadedOffer, "a reloaded page shows the secret that was scanned")
	secondOffer, session := b.offerTwoStep(session)
	require.NotEqual(t, firstOffer.Secret, secondOffer.Secret)
	b.agePassword(session, "15 minutes 1 second")
	require.ErrorIs(t, tb.ErrorOf(offer(session)), identity.ErrTwoStepOff)
	require.ErrorIs(t, tb.ErrorOf(b.confirmTwoStep(session, b.code(secondOffer.Secret, 0))), identity.ErrTwoStepOff)
}

// A code confirms the offered secret. Turning two-step verification on or off ends the person's other sessions.
func TestCodeConfirmsTwoStep(t *testing.T) {
	b := setup(t)
	const ann = "ann+dg@example.com"
	b.storePerson("Ann+DG@Example.com", "")
	session := b.signIn(ann)
	otherSession := b.signIn(ann)
	require.ErrorIs(t, tb.ErrorOf(b.confirmTwoStep(session, "123456")), identity.ErrTwoStepOff)
	otherOffer, _ := b.offerTwoStep(otherSession)
	offer, session := b.offerTwoStep(session)
	require.NotEqual(t, offer.Secret, otherOffer.Secret)
	require.Regexp(t, `^[A-Z2-7]{32}$`, offer.Secret)
	require.Equal(t, "otpauth://totp/DG:Ann%2BDG@Example.com?secret="+offer.Secret+"&issuer=DG", offer.URL)
	require.Equal(t, identity.ErrWrongCode, tb.ErrorOf(b.confirmTwoStep(session, b.wrongCode(offer.Secret))))
	require.False(t, b.signIn(ann).SecondStepDue, "not in force yet")
	b.advance(time.Minute)
	turnedOn := tb.Must(b.confirmTwoStep(session, b.code(offer.Secret, 0)))(t)
	require.True(t, turnedOn.Person.TwoStep)
	require.Equal(t, b.now(), *turnedOn.Person.TwoStepSince)
	require.Equal(t, session.StartedAt, turnedOn.StartedAt)
	require.True(t, b.isActive(turnedOn.Token))
	require.Equal(t, 1, b.CountRows(`sessions`))
	require.ErrorIs(t, tb.ErrorOf(b.service.BeginTwoStep(b.ctx(), turnedOn.Token, proof(""))), identity.ErrTwoStepOn)
	require.ErrorIs(t, tb.ErrorOf(b.confirmTwoStep(turnedOn, b.code(offer.Secret, 1))), identity.ErrTwoStepOn)

	pending := b.signIn(ann)
	require.True(t, pending.SecondStepDue)
	require.Equal(t, identity.ErrWrongCode, b.verifyCode(pending, b.code(offer.Secret, 0)), "already used")
	turnedOff := tb.Must(b.service.TurnOffTwoStep(b.ctx(), turnedOn.Token, proof(b.code(offer.Secret, 1))))(t)
	require.False(t, turnedOff.Person.TwoStep)
	require.True(t, b.isActive(turnedOff.Token))
	require.Equal(t, 1, b.CountRows(`sessions`))
	require.Zero(t, b.CountRows(`recovery_codes`), "voided with the secret")
	_, err := b.service.TurnOffTwoStep(b.ctx(), turnedOff.Token, proof(""))
	require.ErrorIs(t, err, identity.ErrTwoStepOff)
}

func (b *fixture) enrolPerson(email string) (secret string, codes []string, session identity.Session) {
	b.storePerson(email, "")
	session = b.signIn(email)
	offer, session := b.offerTwoStep(session)
	codes, session, err := b.service.ConfirmTwoStep(b.ctx(), session.Token, b.code(offer.Secret, 0))
	require.NoError(b.t, err)
	b.advance(time.Minute)
	return offer.Secret, codes, session
}

func (b *fixture) recoveryCodesLeft(session identity.Session) int {
	return tb.Must(b.otherInstance.RecoveryCodesLeft(b.ctx(), session.Token))(b.t)
}

// A person gets ten readable codes, stored as hashes. Each works once, in any spelling.
func TestRecoveryCodeWorksOnce(t *testing.T) {
	b := setup(t)
	secret, codes, session := b.enrolPerson(annEmail)
	distinct := map[string]bool{}
	for _, code := range codes {
		distinct[code] = true
		require.Regexp(t, `^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$`, code)
		require.Zero(t, b.CountRows(`recovery_codes where encode(code_hash, 'escape') like '%' || $1 || '%'`, code[:4]))
	}
	require.Len(t, distinct, 10)
	require.Equal(t, 10, b.recoveryCodesLeft(session))
	b.enrolPerson(bobEmail)
	require.Equal(t, identity.ErrWrongCode, b.verifyCode(b.signIn(bobEmail), codes[0]), "another person's")
	for i, typed := range []string{
		codes[0], strings.NewReplacer("0", "O", "1", "l").Replace(codes[1]),
		" " + strings.ToUpper(strings.ReplaceAll(codes[2], "-", " ")),
	} {
		require.NoError(t, b.verifyCode(b.signIn(annEmail), typed), typed)
		require.Equal(t, identity.ErrWrongCode, b.verifyCode(b.signIn(annEmail), typed), "a second time")
		require.Equal(t, 9-i, b.recoveryCodesLeft(session))
	}
	require.NoError(t, b.verifyCode(b.signIn(annEmail), b.code(secret, 0)), "codes of the app still work")
}
