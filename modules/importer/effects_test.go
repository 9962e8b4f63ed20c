package importer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// rules.md, Audit log: an import that changes an organisation's plan or reporting mode adds an entry of
// the operator to its log. One that creates it, changes neither, or fails adds none.
func TestImportRecordsChangesOfPlanAndReportingMode(t *testing.T) {
	b := setup(t)
	b.imports(file("f", changed("acme", `"Acme"`, `"Acme Ltd"`)))
	moved := changed("acme", `"plan":"pro","reportingMode":"pseudonymous"`,
		`"plan":"free","reportingMode":"nominative"`)
	b.errorsOf(file("f", moved+`{"type":"nothing"}`))
	require.Zero(t, b.Count(`audit_entries`))
	for range 2 {
		b.imports(file("f", moved))
	}
	require.Equal(t, 2, b.Count(`audit_entries`))
	require.Equal(t, fill(
		`operator plan.changed organisation $acme {"to": "free", "from": "pro"} CLI dg import, `+
			`operator reporting_mode.changed organisation $acme `+
			`{"to": "nominative", "from": "pseudonymous"} CLI dg import`,
	), b.one(`select string_agg(concat_ws(' ', actor_kind, action, target_kind, target_id, details,
		method, path), ', ' order by action) from audit_entries where org_id = $1`, idOf("acme")))
}

// rules.md, Audit log: an entry says what the import changed, also if an owner changes the mode
// concurrently.
func TestImportRecordsTheModeThatItReplaces(t *testing.T) {
	b := setup(t)
	owner := b.Begin(`update organisations set reporting_mode = 'nominative' where id = $1`,
		idOf("acme"))
	require.NoError(t, b.WhileWaiting(owner, func() error {
		_, err := b.importFiles(file("f", changed("acme", `"pseudonymous"`, `"nominative"`)))
		return err
	}, nil))
	require.Zero(t, b.Count(`audit_entries`))
}

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

// configs/deploy/operations.md: an import with the settings of any step of a replacement of the secret
// key leaves stored secrets, sessions and recovery codes alone. One without the key is refused.
func TestImportDoesNotReplaceTheSecretKey(t *testing.T) {
	b := setup(t)
	ring := func(current, previous byte) identity.Keyring {
		keys := [2][]byte{}
		for i, k := range []byte{current, previous} {
			if k != 0 {
				keys[i] = bytes.Repeat([]byte{k}, 32)
			}
		}
		made, err := identity.NewKeyring(keys[0], keys[1])
		require.NoError(t, err)
		return made
	}
	for _, keys := range []identity.Keyring{ring(1, 0), ring(2, 1)} {
		_, err := identity.MigrateSecrets(t.Context(), b.Owner, keys, false)
		require.NoError(t, err)
	}
	b.Exec(`insert into recovery_codes select id, sha256('code') from users`)
	before := b.contents()
	imports := func(keys identity.Keyring) error {
		keys, err := identity.KeyringForImport(t.Context(), b.Owner, keys)
		if err == nil {
			_, err = Importer{Pool: b.Owner.Pool, Keyring: keys}.Import(t.Context(),
				[]Input{file("world", world)}, nil)
		}
		return err
	}
	for _, keys := range []identity.Keyring{ring(1, 2), ring(2, 1), ring(2, 0)} {
		require.NoError(t, imports(keys))
		require.Equal(t, before, b.contents())
	}
	require.ErrorIs(t, imports(ring(1, 0)), identity.ErrSecretKey)
	_, err := Importer{Pool: b.Owner.Pool, Keyring: ring(1, 2)}.Import(t.Context(),
		[]Input{file("world", world)}, nil)
	require.ErrorIs(t, err, identity.ErrSecretKey, "the key is replaced while the import runs")
}
