package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

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
	b := setup(t)
	b.storePerson(annEmail, totpSecret)
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
	b := setup(t)
	b.storePerson(annEmail, totpSecret)
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
	unreadableEmails := tb.Must(identity.CheckSecretKey(b.ctx(), b.DB, keys))(t)
	require.Equal(t, []string{annEmail}, unreadableEmails)
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
