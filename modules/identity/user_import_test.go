package identity_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/modules/importer"
	"dg/platform/testkit/fixtures"
)

// mustImport imports users without a key.
func (b *bundle) mustImport(users ...map[string]any) {
	b.t.Helper()
	b.mustImportWith(identity.Keyring{}, users...)
}

func (b *bundle) mustImportWith(keys identity.Keyring, users ...map[string]any) {
	b.t.Helper()
	require.NoError(b.t, b.importUsers(keys, users...))
}

// importUsers runs an import of users.
func (b *bundle) importUsers(keys identity.Keyring, users ...map[string]any) error {
	b.t.Helper()
	input := importer.Input{Name: "users", Open: func() (io.ReadCloser, error) {
		var lines strings.Builder
		for _, u := range users {
			if err := json.NewEncoder(&lines).Encode(u); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(strings.NewReader(lines.String())), nil
	}}
	_, err := importer.New(b.Owner.Pool).EncryptWith(keys).
		Import(b.ctx(), []importer.Input{input}, nil)
	return err
}

func TestImportOfNewCredentialsEndsSessions(t *testing.T) {
	b := setup(t)
	hash := identity.CheapHash(password)
	other := identity.CheapHash(replacement)
	user := func(id, email string) map[string]any {
		return map[string]any{
			"type":         "user",
			"id":           id,
			"email":        email,
			"name":         "A",
			"passwordHash": hash,
			"totpSecret":   secret,
		}
	}
	ann := user("00000000-0000-4000-8000-00000000000a", "ann@example.com")
	bob := user("00000000-0000-4000-8000-00000000000b", "bob@example.com")
	b.mustImport(ann, bob)
	for _, change := range []struct {
		field string
		value any
		ends  bool
	}{
		{"name", "Ann", false},
		{"email", "Ann@example.com", false},
		{"passwordHash", other, true},
		{"totpSecret", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", true},
		{"totpSecret", nil, true},
		{"passwordHash", nil, true},
	} {
		ann["passwordHash"] = hash
		ann["totpSecret"] = secret
		b.mustImport(ann)
		b.Exec(`update users set totp_last_step = null, totp_since = now(), password_since = now()`)
		session := b.signInFully("ann@example.com")
		bobs := b.signInFully("bob@example.com")
		pending := b.signIn("ann@example.com")
		ann[change.field] = change.value
		b.mustImport(ann, bob)
		require.Equal(t, !change.ends, b.isActive(session.Token), "%v", change)
		require.Equal(t, !change.ends, b.isActive(pending.Token), "%v", change)
		require.True(t, b.isActive(bobs.Token))
		require.Equal(t, change.field == "totpSecret",
			one[bool](b,
				`select totp_since is null and totp_last_step is null from users where name <> 'A'`),
			"%v", change)
		require.Equal(t, change.field == "passwordHash",
			one[bool](b, `select password_since is null from users where name <> 'A'`), "%v",
			change)
	}
}

// An import brings secrets in clear and stores them encrypted; the same file again changes nothing.
func TestImportEncryptsSecrets(t *testing.T) {
	b := setup(t)
	keys := ring(t, 1, 0)
	ann := map[string]any{
		"type":         "user",
		"id":           "00000000-0000-4000-8000-00000000000a",
		"email":        "ann@example.com",
		"name":         "A",
		"passwordHash": fixtures.PasswordHash,
		"totpSecret":   secret,
	}
	b.mustImport(ann) // in clear
	session := b.signInFully("ann@example.com")
	b.use(keys)
	b.mustImportWith(keys, ann)
	require.Regexp(t, `^v1\.`, b.stored("ann@example.com"))
	require.True(t, b.isActive(session.Token), "it is the same secret")
	for _, wrong := range []identity.Keyring{ring(t, 0, 0), ring(t, 2, 0)} {
		require.ErrorContains(t, b.importUsers(wrong, ann), "DG_SECRET_KEY")
	}
	require.True(t, b.isActive(session.Token))
	ann["totpSecret"] = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	b.mustImportWith(keys, ann)
	require.False(t, b.isActive(session.Token))
}
