package importer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// An import that changes a password or two-step secret ends the person's sessions, and forgets since
// when the old one was in use.
func TestImportOfNewCredentialsEndsSessions(t *testing.T) {
	b := setup(t)
	anns := fill(changed("ann", "", ""))
	for _, c := range []struct {
		old, new string
		want     string // sessions of Ann and Bob, whether password and secret are new
	}{
		{`"name":"Ann"`, `"name":"Anna"`, "1 1 f f"},
		{`Ann@Example.com`, `ann@example.com`, "1 1 f f"},
		{`t=2,p=1`, `t=3,p=1`, "0 1 t f"},
		{`JBSWY3DPEHPK3PXP`, `GEZDGNBVGY3TQOJQ`, "0 1 f t"},
		{`,"totpSecret":"JBSWY3DPEHPK3PXP"`, ``, "0 1 f t"},
	} {
		b.imports(file("world", world))
		b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
			second_step_due) select sha256(id::text::bytea), id, now(), now(), now(), false from users
			on conflict do nothing`)
		b.Exec(`update users set totp_last_step = 1, totp_since = now(), password_since = now()`)
		b.imports(raw("f", strings.Replace(anns, c.old, c.new, 1)))
		require.Equal(t, c.want, b.one(fill(`select concat_ws(' ',
			(select count(*) from sessions where user_id = '$ann'),
			(select count(*) from sessions where user_id = '$bob'),
			password_since is null, totp_since is null and totp_last_step is null)
			from users where id = '$ann'`)), c.new)
	}
}

// An import encrypts the secrets of its file. The same file again changes nothing.
func TestImportEncryptsSecrets(t *testing.T) {
	b := setup(t)
	keys, err := identity.NewKeyring(bytes.Repeat([]byte{1}, 32), nil)
	require.NoError(t, err)
	_, err = identity.MigrateSecrets(t.Context(), b.Owner, keys, false)
	require.NoError(t, err)
	before := b.contents()
	_, err = Importer{Pool: b.Owner.Pool, Keys: keys}.
		Import(t.Context(), []Input{file("world", world)}, nil)
	require.NoError(t, err)
	require.Equal(t, before, b.contents())
	require.Regexp(t, `^v1\.`, b.one(fill(`select totp_secret from users where id = '$ann'`)))
	_, err = b.importFiles(file("world", world))
	require.ErrorContains(t, err, "DG_SECRET_KEY")
}
