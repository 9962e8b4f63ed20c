package identity_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/modules/importer"
	"dg/platform/testkit"
)

// importUser imports a line.
func (b *bundle) importUser(keys identity.Keyring, user map[string]any) error {
	b.t.Helper()
	line, err := json.Marshal(user)
	require.NoError(b.t, err)
	input := importer.Input{Name: "users", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(line)), nil
	}}
	_, err = importer.Importer{Pool: b.Owner.Pool, Keys: keys}.
		Import(b.ctx(), []importer.Input{input}, nil)
	return err
}

func importedUser() map[string]any {
	return map[string]any{
		"type": "user", "id": "00000000-0000-4000-8000-00000000000a", "email": ann, "name": "A",
		"passwordHash": testkit.PasswordHash, "totpSecret": secret,
	}
}

// An import that changes a password or two-step secret ends the person's sessions, and forgets since
// when the old one was in use.
func TestImportOfNewCredentialsEndsSessions(t *testing.T) {
	b := setup(t)
	b.person(bob, secret)
	for _, change := range []struct {
		field string
		value any
		ends  bool
	}{
		{"name", "Ann", false},
		{"email", "Ann@example.com", false},
		{"passwordHash", identity.CheapHash(replacement), true},
		{"totpSecret", forgedSecret, true},
		{"totpSecret", nil, true},
	} {
		anns := importedUser()
		require.NoError(t, b.importUser(identity.Keyring{}, anns))
		b.Exec(`update users set totp_last_step = null, totp_since = now(), password_since = now()`)
		anns[change.field] = change.value
		session := b.signInFully(ann)
		other := b.signInFully(bob)
		require.NoError(t, b.importUser(identity.Keyring{}, anns))
		require.Equal(t, !change.ends, b.isActive(session.Token), "%v", change)
		require.True(t, b.isActive(other.Token))
		for field, sql := range map[string]string{
			"totpSecret":   `totp_since is null and totp_last_step is null`,
			"passwordHash": `password_since is null`,
		} {
			require.Equal(t, change.field == field, one[bool](b, `select `+sql+` from users
				where email_key = $1`, ann), "%v", change)
		}
	}
}

// An import encrypts the secrets of its file. The same file again changes nothing.
func TestImportEncryptsSecrets(t *testing.T) {
	b := setup(t)
	keys := identity.RingOf(1, 0)
	anns := importedUser()
	require.NoError(t, b.importUser(identity.Keyring{}, anns)) // in clear
	session := b.signInFully(ann)
	b.use(keys)
	require.NoError(t, b.importUser(keys, anns))
	require.Regexp(t, `^v1\.`, b.stored(ann))
	require.ErrorContains(t, b.importUser(identity.Keyring{}, anns), "DG_SECRET_KEY")
	require.True(t, b.isActive(session.Token), "it is the same secret")
}
