package identity_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// key returns 32 equal bytes, or nil for 0.
func key(b byte) []byte {
	if b == 0 {
		return nil
	}
	return bytes.Repeat([]byte{b}, 32)
}

func ring(t *testing.T, current, previous byte) identity.Keyring {
	t.Helper()
	keys, err := identity.NewKeyring(key(current), key(previous))
	require.NoError(t, err)
	return keys
}

// use gives the keys to both instances and re-encrypts what is stored.
func (b *bundle) use(keys identity.Keyring) identity.Reencrypted {
	b.t.Helper()
	b.people.EncryptWith(keys)
	b.other.EncryptWith(keys)
	done, err := identity.ReencryptSecrets(b.ctx(), b.Owner, keys)
	require.NoError(b.t, err)
	return done
}

func (b *bundle) stored(email string) string {
	b.t.Helper()
	return one[string](b, `select totp_secret from users where email_key = $1`, email)
}

func TestOfferedSecretIsEncrypted(t *testing.T) {
	b := setup(t)
	b.use(ring(t, 1, 0))
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	offer, err := b.people.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	again, err := b.other.BeginTwoStep(b.ctx(), session.Token)
	require.NoError(t, err)
	require.Equal(t, offer, again)
	require.Regexp(t, `^v1\.`, one[string](b, `select totp_offer from sessions where totp_offer is not null`))
	_, _, err = b.people.ConfirmTwoStep(b.ctx(), session.Token, proof(b.code(offer.Secret, 0)))
	require.NoError(t, err)
	require.Regexp(t, `^v1\.`, b.stored("ann@example.com"))
	b.pass(time.Minute)
	_, err = b.other.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, b.code(offer.Secret, 0))
	require.NoError(t, err)
}

// Secrets in clear, and those under the previous key: sessions and recovery codes stay, and the previous key can be dropped.
func TestSecretsAreReencryptedWithANewKey(t *testing.T) {
	b := setup(t)
	ann, codes, session := b.enrolled("ann@example.com")
	b.person("bob@example.com", secret)
	b.person("cat@example.com", "")
	require.Equal(t, identity.Reencrypted{}, b.use(ring(t, 0, 0)))
	for _, keys := range []identity.Keyring{ring(t, 1, 0), ring(t, 2, 1), ring(t, 2, 0), ring(t, 3, 2)} {
		before := b.stored("ann@example.com")
		done := b.use(keys)
		require.Zero(t, done.Unreadable)
		require.Equal(t, before != b.stored("ann@example.com"), done.Encrypted == 2)
		require.Equal(t, identity.Reencrypted{}, b.use(keys), "once")
		require.Regexp(t, `^v1\.`, b.stored("bob@example.com"))
		require.True(t, b.isActive(session.Token))
		require.Equal(t, len(codes), b.left(session))
		full, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, b.code(ann, 0))
		require.NoError(t, err)
		require.True(t, b.isActive(full.Token))
		b.pass(time.Minute)
	}
	require.Equal(t, 3, one[int](b, `select totp_rewritten from users where email_key = 'ann@example.com'`))
	_, err := b.DB.Pool.Exec(b.ctx(), `update users set totp_rewritten = 9`)
	require.ErrorContains(t, err, "permission denied", "the serving role cannot change a secret and keep the sessions")
}

// The answer says that codes cannot be checked. A recovery code needs no key.
func TestMissingKeySignsNobodyIn(t *testing.T) {
	b := setup(t)
	b.use(ring(t, 1, 0))
	ann, codes, session := b.enrolled("ann@example.com")
	for _, keys := range []identity.Keyring{ring(t, 0, 0), ring(t, 2, 0), ring(t, 3, 2)} {
		before := b.stored("ann@example.com")
		require.Equal(t, identity.Reencrypted{Unreadable: 1}, b.use(keys))
		require.Equal(t, before, b.stored("ann@example.com"))
		pending := b.signIn("ann@example.com")
		for _, code := range []string{"", "000000", b.code(ann, 0), before} {
			_, err := b.people.VerifySecondStep(b.ctx(), pending.Token, code)
			require.True(t, apperr.Is(err, apperr.Unavailable), "%q: %v", code, err)
			require.ErrorContains(t, err, "DG_SECRET_KEY", "the log names the setting")
			_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(code))
			require.True(t, apperr.Is(err, apperr.Unavailable))
		}
		seen, err := b.people.Session(b.ctx(), pending.Token)
		require.NoError(t, err)
		require.True(t, seen.SecondStepDue)
	}
	_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, codes[0])
	require.NoError(t, err)
}
