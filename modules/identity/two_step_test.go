package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// The second step changes the token, against session fixation. A pending session lasts ten minutes.
func TestSecondStepChangesTheToken(t *testing.T) {
	b := setupAnn(t, totpSecret)
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
	b := setupAnn(t, "")
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
	require.Equal(t, firstOffer, tb.Must(offer(session))(t), "a reloaded page shows the secret that was scanned")
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
	session, otherSession := b.signIn(ann), b.signIn(ann)
	require.ErrorIs(t, tb.ErrorOf(b.confirmTwoStep(session, "123456")), identity.ErrTwoStepOff)
	otherOffer, _ := b.offerTwoStep(otherSession)
	download := session
	offer, session := b.offerTwoStep(session)
	require.NoError(t, b.service.Recheck(b.ctx(), b.DB, download), "it goes on under the new token")
	require.NotEqual(t, offer.Secret, otherOffer.Secret)
	require.Regexp(t, `^[A-Z2-7]{32}$`, offer.Secret)
	require.Equal(t, "otpauth://totp/DG:Ann%2BDG@Example.com?secret="+offer.Secret+"&issuer=DG", offer.URL)
	require.Equal(t, identity.ErrWrongCode, tb.ErrorOf(b.confirmTwoStep(session, b.wrongCode(offer.Secret))))
	require.False(t, b.signIn(ann).SecondStepDue, "not in force yet")
	b.advance(time.Minute)
	turnedOn := tb.Must(b.confirmTwoStep(session, b.code(offer.Secret, 0)))(t)
	require.ErrorIs(t, b.service.Recheck(b.ctx(), b.DB, download), identity.ErrNoSession, "a thief may have its token")
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

func (b *fixture) useKeyring(keys identity.Keyring) identity.ReencryptResult {
	b.service.UseKeyring(keys)
	b.otherInstance.UseKeyring(keys)
	return tb.Must(identity.MigrateSecrets(b.ctx(), b.Owner, keys, false))(b.t)
}

func (b *fixture) storedSecret(email string) string {
	return testkit.Query[string](b.World, `select totp_secret from users where email_key = $1`, email)
}

// An offered secret is encrypted. An offer that is stored in clear is refused and can be replaced.
func TestOfferedSecretIsEncrypted(t *testing.T) {
	b := setup(t)
	b.useKeyring(identity.KeyringOf(1, 0))
	b.storePerson(annEmail, "")
	session := b.signIn(annEmail)
	b.Exec(`update sessions set totp_offer = $1`, forgedSecret)
	_, err := b.confirmTwoStep(session, b.code(forgedSecret, 0))
	require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
	require.ErrorIs(t, tb.ErrorOf(b.service.OfferedTwoStep(b.ctx(), session.Token)), identity.ErrTwoStepOff)
	offer, session := b.offerTwoStep(session)
	require.Regexp(t, `^v1\.`, testkit.Query[string](b.World, `select totp_offer from sessions`))
	tb.Must(b.confirmTwoStep(session, b.code(offer.Secret, 0)))(t)
	require.Regexp(t, `^v1\.`, b.storedSecret(annEmail))
	require.NoError(t, b.verifyCode(b.signIn(annEmail), b.code(offer.Secret, 1)))
}

// Secrets in clear or under the previous key are encrypted with the current key. Sessions and recovery codes stay.
func TestSecretsAreReencryptedWithANewKey(t *testing.T) {
	b := setup(t)
	annSecret, codes, session := b.enrolPerson(annEmail)
	b.storePerson(bobEmail, totpSecret)
	b.storePerson("cat@example.com", "")
	require.Equal(t, identity.ReencryptResult{}, b.useKeyring(identity.KeyringOf(0, 0)))
	for _, keys := range []identity.Keyring{
		identity.KeyringOf(1, 0), identity.KeyringOf(2, 1), identity.KeyringOf(2, 0), identity.KeyringOf(3, 2),
	} {
		storedBefore := b.storedSecret(annEmail)
		result := b.useKeyring(keys)
		require.Zero(t, result.Unreadable)
		require.Equal(t, storedBefore != b.storedSecret(annEmail), result.Encrypted == 2)
		require.Equal(t, identity.ReencryptResult{}, b.useKeyring(keys), "once")
		require.Regexp(t, `^v1\.`, b.storedSecret(bobEmail))
		require.True(t, b.isActive(session.Token))
		require.Equal(t, len(codes), b.recoveryCodesLeft(session))
		require.NoError(t, b.verifyCode(b.signIn(annEmail), b.code(annSecret, 0)))
		b.advance(time.Minute)
	}
	require.Equal(t, 3, testkit.Query[int](b.World, `select totp_rewritten from users where email_key = $1`, annEmail))
	_, err := b.DB.Pool.Exec(b.ctx(), `update users set totp_rewritten = 9`)
	require.ErrorContains(t, err, "permission denied", "the serving role cannot change a secret and keep the sessions")
}

// A secret that is removed while the key is replaced stays removed. A new key keeps the counts of wrong codes.
func TestRemovedSecretStaysRemovedUnderANewKey(t *testing.T) {
	b := setupAnn(t, totpSecret)
	b.storePerson(bobEmail, totpSecret)
	b.useKeyring(identity.KeyringOf(1, 0))
	pending := b.signIn(bobEmail)
	b.requireFailures(9, identity.ErrWrongCode, func() error { return b.verifyCode(pending, b.wrongCode(totpSecret)) })
	replace := func() error {
		return tb.ErrorOf(identity.MigrateSecrets(b.ctx(), b.Owner, identity.KeyringOf(2, 1), false))
	}
	storedBefore := b.storedSecret(bobEmail)
	removal := b.Begin(`update users set totp_secret = null where email_key = $1`, annEmail)
	require.NoError(t, b.WhileWaiting(removal, replace, nil))
	require.Equal(t, 1, b.CountRows(`users where email_key = $1 and totp_secret is null`, annEmail))
	require.NotEqual(t, storedBefore, b.storedSecret(bobEmail))
	b.service.UseKeyring(identity.KeyringOf(2, 1))
	b.otherInstance.UseKeyring(identity.KeyringOf(2, 1))
	b.requireFailures(1, identity.ErrWrongCode, func() error { return b.verifyCode(pending, b.wrongCode(totpSecret)) })
	requireLocked(t, b.verifyCode(pending, b.code(totpSecret, 0)), b.now().Add(time.Hour))
	b.Exec(`update users set totp_secret = $1 where email_key = $2`, storedBefore, bobEmail)
	importTx := b.Begin(`select from secret_key_check for share`)
	require.NoError(t, b.WhileWaiting(importTx, replace, func() { // replace locks secret_key_check before users
		b.ExecIn(importTx, `update users set totp_secret = null, totp_last_step = null`)
	}))
	require.Zero(t, b.CountRows(`users where totp_secret is not null`))
}

// operations.md, Secret key: once all secrets are encrypted, sign-in and triggers refuse a secret in clear.
func TestClearSecretIsRefusedOnceAllAreEncrypted(t *testing.T) {
	b := setup(t)
	keys := identity.KeyringOf(1, 0)
	id := b.storePerson(annEmail, totpSecret)
	b.useKeyring(keys)
	for _, role := range []*postgres.DB{b.DB, b.Owner} {
		_, err := role.Pool.Exec(b.ctx(), `update users set totp_secret = $2 where id = $1`, id, forgedSecret)
		require.ErrorContains(t, err, "set DG_SECRET_KEY")
	}
	b.Exec(`alter table users disable trigger user`)
	b.Exec(`update users set totp_secret = $2 where id = $1`, id, forgedSecret)
	for range 2 {
		err := b.verifyCode(b.signIn(annEmail), b.code(forgedSecret, 0))
		require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		require.ErrorContains(t, err, "in clear", "the log names the reason")
		require.Equal(t, identity.ReencryptResult{Unreadable: 1}, b.useKeyring(keys))
	}
	require.Equal(t, forgedSecret, b.storedSecret(annEmail))
}

const forgedSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// operations.md, Secret key: a keyring must have the database's key, as the current or previous key.
func TestDatabaseAcceptsOnlyItsSecretKey(t *testing.T) {
	b := setupAnn(t, totpSecret)
	check := func(keys identity.Keyring) error {
		return tb.ErrorOf(identity.CheckSecretKey(b.ctx(), b.DB, keys))
	}
	require.NoError(t, check(identity.KeyringOf(7, 0)), "the database has no key yet")
	for _, c := range []struct{ current, previous byte }{{1, 0}, {2, 1}, {3, 2}, {2, 3}} {
		b.useKeyring(identity.KeyringOf(c.current, c.previous))
		require.NoError(t, check(identity.KeyringOf(c.current, 0)))
		require.NoError(t, check(identity.KeyringOf(9, c.current)))
		require.NoError(t, check(identity.KeyringOf(0, c.current)), "as the previous key alone")
		for _, wrong := range [][2]byte{{0, 0}, {9, 0}, {0, 9}, {9, c.previous}} {
			keys := identity.KeyringOf(wrong[0], wrong[1])
			require.ErrorIs(t, check(keys), identity.ErrWrongSecretKey, "%v", wrong)
			_, err := identity.MigrateSecrets(b.ctx(), b.Owner, keys, false)
			require.ErrorIs(t, err, identity.ErrWrongSecretKey)
		}
	}
	require.ErrorContains(t, tb.ErrorOf(b.DB.Pool.Exec(b.ctx(), `delete from secret_key_check`)), "permission denied")

	b.Exec(`delete from secret_key_check`)
	b.storePerson(bobEmail, totpSecret)
	_, err := identity.MigrateSecrets(b.ctx(), b.Owner, identity.KeyringOf(9, 0), false)
	require.ErrorIs(t, err, identity.ErrWrongSecretKey)
	require.Equal(t, totpSecret, b.storedSecret(bobEmail), "nothing changes")
	require.NoError(t, check(identity.Keyring{}))
}

// operations.md, Secret key: under the key that replaces a lost key, old secrets are unreadable and clear ones refused.
func TestKeyThatReplacesALostKeyRefusesClearSecrets(t *testing.T) {
	b := setup(t)
	b.useKeyring(identity.KeyringOf(1, 0))
	secret, codes, session := b.enrolPerson(annEmail)
	bobID := b.storePerson(bobEmail, "")
	_, err := identity.MigrateSecrets(b.ctx(), b.Owner, identity.Keyring{}, true)
	require.ErrorContains(t, err, "set DG_SECRET_KEY")
	keys := identity.KeyringOf(2, 0)
	result := tb.Must(identity.MigrateSecrets(b.ctx(), b.Owner, keys, true))(t)
	require.Equal(t, identity.ReencryptResult{Unreadable: 1}, result)
	require.Equal(t, []string{annEmail}, tb.Must(identity.CheckSecretKey(b.ctx(), b.DB, keys))(t))
	for _, keys := range []identity.Keyring{{}, keys} {
		b.otherInstance.UseKeyring(keys)
		for _, code := range []string{"", b.code(secret, 0), b.storedSecret(annEmail)} {
			err := b.verifyCode(b.signIn(annEmail), code)
			require.True(t, apperr.Is(err, apperr.Unavailable), "%q: %v", code, err)
			require.ErrorContains(t, err, "DG_SECRET_KEY", "the log names the setting")
		}
	}
	b.service.UseKeyring(keys)
	_, err = b.service.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 0)))
	require.True(t, apperr.Is(err, apperr.Unavailable))
	require.NoError(t, b.verifyCode(b.signIn(annEmail), codes[0]))
	_, err = b.DB.Pool.Exec(b.ctx(), `update users set totp_secret = $2 where id = $1`, bobID, forgedSecret)
	require.ErrorContains(t, err, "set DG_SECRET_KEY")
	require.Equal(t, identity.ReencryptResult{}, b.useKeyring(identity.KeyringOf(1, 2)), "it is found again")
}
