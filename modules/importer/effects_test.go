package importer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
