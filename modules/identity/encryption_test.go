package identity_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/testkit/fixtures"
)

// key is one of 32 equal bytes; 0 is none.
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

// use makes both instances work with the keys, and brings what is stored under them.
func (b *bundle) use(keys identity.Keyring) identity.Reencrypted {
	b.t.Helper()
	b.people.EncryptWith(keys)
	b.other.EncryptWith(keys)
	done, err := identity.ReencryptSecrets(b.ctx(), b.Owner.Pool, keys)
	require.NoError(b.t, err)
	return done
}

func (b *bundle) stored(email string) string {
	b.t.Helper()
	return one[string](b, `select totp_secret from users where email_key = $1`, email)
}

// A secret that is set up with a key is stored encrypted, also while it is only offered.
func TestSecretIsEncryptedFromTheOfferOn(t *testing.T) {
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

// A database with secrets in clear goes on with a key, and with the next one: sessions and recovery codes stay, and a key
// that was replaced can be forgotten.
func TestSecretsAreRewrittenUnderANewKey(t *testing.T) {
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
	require.ErrorContains(t, err, "permission denied", "the role that serves cannot change a secret and keep the sessions")
}

// Without the key of a secret nobody passes without a right code: the answer says that codes cannot be checked. A recovery
// code needs no key.
func TestMissingKeyLetsNobodyIn(t *testing.T) {
	b := setup(t)
	b.use(ring(t, 1, 0))
	ann, codes, session := b.enrolled("ann@example.com")
	for _, keys := range []identity.Keyring{ring(t, 0, 0), ring(t, 2, 0), ring(t, 3, 2)} {
		before := b.stored("ann@example.com")
		require.Equal(t, identity.Reencrypted{Unreadable: 1}, b.use(keys))
		require.Equal(t, before, b.stored("ann@example.com"))
		due := b.signIn("ann@example.com")
		for _, code := range []string{"", "000000", b.code(ann, 0), before} {
			_, err := b.people.VerifySecondStep(b.ctx(), due.Token, code)
			require.True(t, apperr.Is(err, apperr.Unavailable), "%q: %v", code, err)
			require.ErrorContains(t, err, "DG_SECRET_KEY", "the log says which setting")
			_, err = b.people.TurnOffTwoStep(b.ctx(), session.Token, proof(code))
			require.True(t, apperr.Is(err, apperr.Unavailable))
		}
		seen, err := b.people.Session(b.ctx(), due.Token)
		require.NoError(t, err)
		require.True(t, seen.SecondStepDue)
	}
	_, err := b.people.VerifySecondStep(b.ctx(), b.signIn("ann@example.com").Token, codes[0])
	require.NoError(t, err)
}

// An import brings secrets in as plain text and stores them encrypted; the same file again changes nothing.
func TestImportEncryptsSecrets(t *testing.T) {
	b := setup(t)
	keys := ring(t, 1, 0)
	ann := map[string]any{"type": "user", "id": "00000000-0000-4000-8000-00000000000a", "email": "ann@example.com", "name": "A",
		"passwordHash": fixtures.PasswordHash, "totpSecret": secret}
	b.take(ann) // in clear
	session := b.signInFully("ann@example.com")
	b.use(keys)
	b.takeWith(keys, ann)
	require.Regexp(t, `^v1\.`, b.stored("ann@example.com"))
	require.True(t, b.isActive(session.Token), "it is the same secret")
	for _, wrong := range []identity.Keyring{ring(t, 0, 0), ring(t, 2, 0)} {
		require.ErrorContains(t, b.importing(wrong, ann), "DG_SECRET_KEY")
	}
	require.True(t, b.isActive(session.Token))
	ann["totpSecret"] = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	b.takeWith(keys, ann)
	require.False(t, b.isActive(session.Token))
}
