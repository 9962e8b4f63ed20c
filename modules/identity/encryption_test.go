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

func (b *bundle) use(keys identity.Keyring) identity.Reencrypted {
	b.people.UseKeys(keys)
	b.other.UseKeys(keys)
	return tb.Must(identity.MigrateSecrets(b.ctx(), b.Owner, keys, false))(b.t)
}

func (b *bundle) storedSecret(email string) string {
	return testkit.One[string](b.World, `select totp_secret from users where email_key = $1`, email)
}

// An offered secret is encrypted. An offer that is stored in clear is refused and can be replaced.
func TestOfferedSecretIsEncrypted(t *testing.T) {
	b := setup(t)
	b.use(identity.KeyringOf(1, 0))
	b.person(ann, "")
	session := b.signIn(ann)
	b.Exec(`update sessions set totp_offer = $1`, forgedSecret)
	_, err := b.confirm(session, b.code(forgedSecret, 0))
	require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
	require.ErrorIs(t, tb.ErrorOf(b.people.OfferedTwoStep(b.ctx(), session.Token)), identity.ErrTwoStepOff)
	offer, session := b.offer(session)
	require.Regexp(t, `^v1\.`, testkit.One[string](b.World, `select totp_offer from sessions`))
	tb.Must(b.confirm(session, b.code(offer.Secret, 0)))(t)
	require.Regexp(t, `^v1\.`, b.storedSecret(ann))
	require.NoError(t, b.verify(b.signIn(ann), b.code(offer.Secret, 1)))
}

// Secrets in clear or under the previous key are encrypted with the current one. Sessions and recovery codes stay.
func TestSecretsAreReencryptedWithANewKey(t *testing.T) {
	b := setup(t)
	anns, codes, session := b.enrolled(ann)
	b.person(bob, secret)
	b.person("cat@example.com", "")
	require.Equal(t, identity.Reencrypted{}, b.use(identity.KeyringOf(0, 0)))
	for _, keys := range []identity.Keyring{
		identity.KeyringOf(1, 0), identity.KeyringOf(2, 1), identity.KeyringOf(2, 0), identity.KeyringOf(3, 2),
	} {
		before := b.storedSecret(ann)
		done := b.use(keys)
		require.Zero(t, done.Unreadable)
		require.Equal(t, before != b.storedSecret(ann), done.Encrypted == 2)
		require.Equal(t, identity.Reencrypted{}, b.use(keys), "once")
		require.Regexp(t, `^v1\.`, b.storedSecret(bob))
		require.True(t, b.isActive(session.Token))
		require.Equal(t, len(codes), b.recoveryCodesLeft(session))
		require.NoError(t, b.verify(b.signIn(ann), b.code(anns, 0)))
		b.advance(time.Minute)
	}
	require.Equal(t, 3, testkit.One[int](b.World, `select totp_rewritten from users where email_key = $1`, ann))
	_, err := b.DB.Pool.Exec(b.ctx(), `update users set totp_rewritten = 9`)
	require.ErrorContains(t, err, "permission denied", "the serving role cannot change a secret and keep the sessions")
}

// A secret that is removed while the key is replaced stays removed. A new key keeps the counts of wrong codes.
func TestRemovedSecretStaysRemovedUnderANewKey(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	b.person(bob, secret)
	b.use(identity.KeyringOf(1, 0))
	pending := b.signIn(bob)
	b.fail(9, identity.ErrWrongCode, func() error { return b.verify(pending, b.wrongCode(secret)) })
	replace := func() error {
		return tb.ErrorOf(identity.MigrateSecrets(b.ctx(), b.Owner, identity.KeyringOf(2, 1), false))
	}
	before := b.storedSecret(bob)
	removal := b.Begin(`update users set totp_secret = null where email_key = $1`, ann)
	require.NoError(t, b.WhileWaiting(removal, replace, nil))
	require.Equal(t, 1, b.Count(`users where email_key = $1 and totp_secret is null`, ann))
	require.NotEqual(t, before, b.storedSecret(bob))
	b.people.UseKeys(identity.KeyringOf(2, 1))
	b.other.UseKeys(identity.KeyringOf(2, 1))
	b.fail(1, identity.ErrWrongCode, func() error { return b.verify(pending, b.wrongCode(secret)) })
	requireLocked(t, b.verify(pending, b.code(secret, 0)), b.now().Add(time.Hour))
	b.Exec(`update users set totp_secret = $1 where email_key = $2`, before, bob)
	imported := b.Begin(`select from secret_key_check for share`)
	require.NoError(t, b.WhileWaiting(imported, replace, func() { // nothing is locked before the check value
		b.ExecIn(imported, `update users set totp_secret = null, totp_last_step = null`)
	}))
	require.Zero(t, b.Count(`users where totp_secret is not null`))
}

// operations.md, Secret key: once all secrets are encrypted, one in clear is refused at sign-in and by the triggers.
func TestClearSecretIsRefusedOnceAllAreEncrypted(t *testing.T) {
	b := setup(t)
	keys := identity.KeyringOf(1, 0)
	id := b.person(ann, secret)
	b.use(keys)
	for _, role := range []*postgres.DB{b.DB, b.Owner} {
		_, err := role.Pool.Exec(b.ctx(), `update users set totp_secret = $2 where id = $1`, id, forgedSecret)
		require.ErrorContains(t, err, "set DG_SECRET_KEY")
	}
	b.Exec(`alter table users disable trigger user`)
	b.Exec(`update users set totp_secret = $2 where id = $1`, id, forgedSecret)
	for range 2 {
		err := b.verify(b.signIn(ann), b.code(forgedSecret, 0))
		require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		require.ErrorContains(t, err, "in clear", "the log names the reason")
		require.Equal(t, identity.Reencrypted{Unreadable: 1}, b.use(keys))
	}
	require.Equal(t, forgedSecret, b.storedSecret(ann))
}

const forgedSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// operations.md, Secret key: a keyring must have the database's key, as the current or previous key.
func TestDatabaseAcceptsOnlyItsSecretKey(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	check := func(keys identity.Keyring) error {
		return tb.ErrorOf(identity.CheckSecretKey(b.ctx(), b.DB, keys))
	}
	require.NoError(t, check(identity.KeyringOf(7, 0)), "the database has no key yet")
	for _, turn := range []struct{ current, previous byte }{{1, 0}, {2, 1}, {3, 2}, {2, 3}} {
		b.use(identity.KeyringOf(turn.current, turn.previous))
		require.NoError(t, check(identity.KeyringOf(turn.current, 0)))
		require.NoError(t, check(identity.KeyringOf(9, turn.current)))
		require.NoError(t, check(identity.KeyringOf(0, turn.current)), "as the previous key alone")
		for _, wrong := range [][2]byte{{0, 0}, {9, 0}, {0, 9}, {9, turn.previous}} {
			keys := identity.KeyringOf(wrong[0], wrong[1])
			require.ErrorIs(t, check(keys), identity.ErrWrongSecretKey, "%v", wrong)
			_, err := identity.MigrateSecrets(b.ctx(), b.Owner, keys, false)
			require.ErrorIs(t, err, identity.ErrWrongSecretKey)
		}
	}
	require.ErrorContains(t, tb.ErrorOf(b.DB.Pool.Exec(b.ctx(), `delete from secret_key_check`)), "permission denied")

	b.Exec(`delete from secret_key_check`)
	b.person(bob, secret)
	_, err := identity.MigrateSecrets(b.ctx(), b.Owner, identity.KeyringOf(9, 0), false)
	require.ErrorIs(t, err, identity.ErrWrongSecretKey)
	require.Equal(t, secret, b.storedSecret(bob), "nothing changes")
	require.NoError(t, check(identity.Keyring{}))
}

// operations.md, Settings: under a key that replaces a lost one, old secrets stay unreadable and clear ones refused.
func TestKeyThatReplacesALostKeyRefusesClearSecrets(t *testing.T) {
	b := setup(t)
	b.use(identity.KeyringOf(1, 0))
	secret, codes, session := b.enrolled(ann)
	bobID := b.person(bob, "")
	_, err := identity.MigrateSecrets(b.ctx(), b.Owner, identity.Keyring{}, true)
	require.ErrorContains(t, err, "set DG_SECRET_KEY")
	keys := identity.KeyringOf(2, 0)
	done := tb.Must(identity.MigrateSecrets(b.ctx(), b.Owner, keys, true))(t)
	require.Equal(t, identity.Reencrypted{Unreadable: 1}, done)
	unreadable := tb.Must(identity.CheckSecretKey(b.ctx(), b.DB, keys))(t)
	require.Equal(t, []string{ann}, unreadable)
	for _, keys := range []identity.Keyring{{}, keys} {
		b.other.UseKeys(keys)
		for _, code := range []string{"", b.code(secret, 0), b.storedSecret(ann)} {
			err := b.verify(b.signIn(ann), code)
			require.True(t, apperr.Is(err, apperr.Unavailable), "%q: %v", code, err)
			require.ErrorContains(t, err, "DG_SECRET_KEY", "the log names the setting")
		}
	}
	b.people.UseKeys(keys)
	_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(secret, 0)))
	require.True(t, apperr.Is(err, apperr.Unavailable))
	require.NoError(t, b.verify(b.signIn(ann), codes[0]))
	_, err = b.DB.Pool.Exec(b.ctx(), `update users set totp_secret = $2 where id = $1`, bobID, forgedSecret)
	require.ErrorContains(t, err, "set DG_SECRET_KEY")
	require.Equal(t, identity.Reencrypted{}, b.use(identity.KeyringOf(1, 2)), "it is found again")
}
