package identity_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// ring returns the keyring of keys of 32 equal bytes, 0 for none.
func ring(t *testing.T, current, previous byte) identity.Keyring {
	t.Helper()
	key := func(b byte) []byte {
		if b == 0 {
			return nil
		}
		return bytes.Repeat([]byte{b}, 32)
	}
	keys, err := identity.NewKeyring(key(current), key(previous))
	require.NoError(t, err)
	return keys
}

// use gives the keys to both instances and migrates the secrets.
func (b *bundle) use(keys identity.Keyring) identity.Reencrypted {
	b.t.Helper()
	b.people.UseKeys(keys)
	b.other.UseKeys(keys)
	done, err := identity.MigrateSecrets(b.ctx(), b.Owner, keys, false)
	require.NoError(b.t, err)
	return done
}

func (b *bundle) stored(email string) string {
	b.t.Helper()
	return one[string](b, `select totp_secret from users where email_key = $1`, email)
}

// An offer in clear is refused and replaced.
func TestOfferedSecretIsEncrypted(t *testing.T) {
	b := setup(t)
	b.use(ring(t, 1, 0))
	b.person(ann, "")
	session := b.signIn(ann)
	b.Exec(`update sessions set totp_offer = $1`, forgedSecret)
	_, err := b.confirm(session, proof(b.code(forgedSecret, 0)))
	require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
	offer := b.offer(session)
	require.Equal(t, offer, b.offer(session))
	require.Regexp(t, `^v1\.`, one[string](b, `select totp_offer from sessions`))
	_, err = b.confirm(session, proof(b.code(offer.Secret, 0)))
	require.NoError(t, err)
	require.Regexp(t, `^v1\.`, b.stored(ann))
	require.NoError(t, b.verify(b.signIn(ann), b.code(offer.Secret, 1)))
}

// Secrets in clear and under the previous key are encrypted with the current one. Sessions and
// recovery codes stay, and the previous key can be dropped.
func TestSecretsAreReencryptedWithANewKey(t *testing.T) {
	b := setup(t)
	anns, codes, session := b.enrolled(ann)
	b.person(bob, secret)
	b.person("cat@example.com", "")
	require.Equal(t, identity.Reencrypted{}, b.use(ring(t, 0, 0)))
	for _, keys := range []identity.Keyring{
		ring(t, 1, 0), ring(t, 2, 1), ring(t, 2, 0), ring(t, 3, 2),
	} {
		before := b.stored(ann)
		done := b.use(keys)
		require.Zero(t, done.Unreadable)
		require.Equal(t, before != b.stored(ann), done.Encrypted == 2)
		require.Equal(t, identity.Reencrypted{}, b.use(keys), "once")
		require.Regexp(t, `^v1\.`, b.stored(bob))
		require.True(t, b.isActive(session.Token))
		require.Equal(t, len(codes), b.left(session))
		require.NoError(t, b.verify(b.signIn(ann), b.code(anns, 0)))
		b.pass(time.Minute)
	}
	require.Equal(t, 3, one[int](b, `select totp_rewritten from users where email_key = $1`, ann))
	_, err := b.DB.Pool.Exec(b.ctx(), `update users set totp_rewritten = 9`)
	require.ErrorContains(t, err, "permission denied",
		"the serving role cannot change a secret and keep the sessions")
}

// The answer says that codes cannot be checked. A recovery code needs no key.
func TestMissingKeyRejectsEveryCode(t *testing.T) {
	b := setup(t)
	b.use(ring(t, 1, 0))
	secret, codes, session := b.enrolled(ann)
	for _, keys := range []identity.Keyring{ring(t, 0, 0), ring(t, 3, 2)} {
		b.people.UseKeys(keys)
		b.other.UseKeys(keys)
		pending := b.signIn(ann)
		for _, code := range []string{"", b.code(secret, 0), b.stored(ann)} {
			require.True(t, apperr.Is(second(b.turnOff(session, proof(code))), apperr.Unavailable))
			err := b.verify(pending, code)
			require.True(t, apperr.Is(err, apperr.Unavailable), "%q: %v", code, err)
			require.ErrorContains(t, err, "DG_SECRET_KEY", "the log names the setting")
		}
	}
	require.NoError(t, b.verify(b.signIn(ann), codes[0]))
}

// rules.md, Data: once the stored secrets are encrypted, a clear one opens no account. The triggers
// refuse it, and the next start does not encrypt one that was forced in.
func TestClearSecretIsRefusedOnceAllAreEncrypted(t *testing.T) {
	b := setup(t)
	keys := ring(t, 1, 0)
	id := b.person(ann, secret)
	b.use(keys)
	for _, role := range []*postgres.DB{b.DB, b.Owner} {
		_, err := role.Pool.Exec(b.ctx(), `update users set totp_secret = $2 where id = $1`, id,
			forgedSecret)
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
	require.Equal(t, forgedSecret, b.stored(ann))
}

const forgedSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// rules.md, Data: a database accepts only programs that have its key, as current or previous one.
func TestCheckValueOpensWithTheDatabasesKeyOnly(t *testing.T) {
	b := setup(t)
	check := func(keys identity.Keyring) error {
		return identity.CheckSecretKey(b.ctx(), b.DB, keys)
	}
	require.NoError(t, check(ring(t, 7, 0)), "the database has no key yet")
	for _, turn := range []struct{ current, previous byte }{{1, 0}, {2, 1}, {3, 2}, {2, 3}} {
		b.use(ring(t, turn.current, turn.previous))
		require.NoError(t, check(ring(t, turn.current, 0)))
		require.NoError(t, check(ring(t, 9, turn.current)))
		require.NoError(t, check(ring(t, 0, turn.current)), "as the previous key alone")
		for _, wrong := range [][2]byte{{0, 0}, {9, 0}, {0, 9}, {9, turn.previous}} {
			keys := ring(t, wrong[0], wrong[1])
			require.ErrorIs(t, check(keys), identity.ErrSecretKey, "%v", wrong)
			_, err := identity.MigrateSecrets(b.ctx(), b.Owner, keys, false)
			require.ErrorIs(t, err, identity.ErrSecretKey)
		}
	}
	_, err := b.DB.Pool.Exec(b.ctx(), `delete from secret_key_check`)
	require.ErrorContains(t, err, "permission denied")
}

// operations.md, Settings: a key that replaces a lost one is the database's at once, although the
// old secrets stay unreadable. Secrets in clear stay refused.
func TestKeyInPlaceOfALostOneRefusesClearSecrets(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	bobID := b.person(bob, "")
	b.use(ring(t, 1, 0))
	_, err := identity.MigrateSecrets(b.ctx(), b.Owner, ring(t, 0, 0), true)
	require.ErrorContains(t, err, "set DG_SECRET_KEY")
	done, err := identity.MigrateSecrets(b.ctx(), b.Owner, ring(t, 2, 0), true)
	require.NoError(t, err)
	require.Equal(t, identity.Reencrypted{Unreadable: 1}, done)
	_, err = b.DB.Pool.Exec(b.ctx(), `update users set totp_secret = $2 where id = $1`, bobID,
		forgedSecret)
	require.ErrorContains(t, err, "set DG_SECRET_KEY")
	require.Equal(t, identity.Reencrypted{}, b.use(ring(t, 1, 2)), "it is found again")
}

// Without a check value, a key that does not decrypt every secret may be the wrong one: nothing
// changes.
func TestWrongFirstKeyChangesNothing(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	b.use(ring(t, 1, 0))
	b.Exec(`delete from secret_key_check`)
	b.person(bob, secret)
	_, err := identity.MigrateSecrets(b.ctx(), b.Owner, ring(t, 2, 0), false)
	require.ErrorIs(t, err, identity.ErrSecretKey)
	require.Equal(t, secret, b.stored(bob))
	require.NoError(t, identity.CheckSecretKey(b.ctx(), b.DB, identity.Keyring{}))
}
