package importer

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// entries returns what the import recorded since the last call.
func (b bundle) entries() string {
	recorded := b.one(`select string_agg(concat_ws(' ', o.slug, actor_kind, action, target_id, details, method,
		e.path), ', ' order by action, details, o.slug)
		from audit_entries e join organisations o on o.id = e.org_id`)
	b.Exec(`truncate audit_entries`)
	for _, name := range []string{"acme", "other", "ann", "bob"} {
		recorded = strings.ReplaceAll(recorded, idOf(name).String(), "$"+name)
	}
	return strings.ReplaceAll(recorded, " CLI dg import", "")
}

// rules.md, Audit log: every change of access by an import is an entry of the operator: organisations,
// plans, modes, memberships, passwords and two-step verification. One that changes nothing, or fails,
// adds none.
func TestImportRecordsEachChangeOfAccess(t *testing.T) {
	b := setup(t)
	require.Equal(t, `other operator organisation.created $other {"plan": "free"}, `+
		`acme operator organisation.created $acme {"plan": "pro"}, `+
		`acme operator role.changed $ann {"to": "owner", "from": "none", "name": "Ann"}`, b.entries())
	for _, c := range []struct{ lines, want string }{
		{changed("acme", `"Acme"`, `"Acme Ltd"`), "null"},
		{
			changed("acme", `"plan":"pro","reportingMode":"pseudonymous"`,
				`"plan":"free","reportingMode":"nominative"`),
			`acme operator plan.changed $acme {"to": "free", "from": "pro"}, ` +
				`acme operator reporting_mode.changed $acme {"to": "nominative", "from": "pseudonymous"}`,
		},
		{memberLine("owner", "admin"),
			`acme operator role.changed $ann {"to": "admin", "from": "owner", "name": "Ann"}`},
		{changed("ann", `"passwordHash":"$argon","totpSecret":"JBSWY3DPEHPK3PXP",`, ""),
			`acme operator password.removed $ann {"name": "Ann"}, ` +
				`acme operator two_step.removed $ann {"name": "Ann"}`},
		{changed("ann", "", "") + "\n" + memberLine(`$ann`, `$bob`),
			`acme operator password.changed $ann {"name": "Ann"}, ` +
				`acme operator role.changed $bob {"to": "owner", "from": "none", "name": "Bob"}, ` +
				`acme operator two_step.turned_on $ann {"name": "Ann"}`},
	} {
		b.errorsOf(file("f", c.lines+"\n"+`{"type":"nothing"}`))
		b.imports(file("f", c.lines))
		require.Equal(t, c.want, b.entries(), c.lines)
		b.imports(file("f", c.lines))
		require.Equal(t, "null", b.entries(), c.lines)
	}
	b.imports(file("f", changed("ann", "", "")))
	counts := b.imports(file("f", changed("ann", `"passwordHash":"$argon",`, "")))
	require.Contains(t, counts, Count{Type: "user", Replaced: 1, LostPasswords: 1})
}

// rules.md, Audit log: an entry says what the import changed, also if an owner changes the mode
// concurrently.
func TestImportRecordsTheModeThatItReplaces(t *testing.T) {
	b := setup(t)
	b.entries()
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

// Plays of a player who is erased between the check and the write fail the import: they are not
// counted as unchanged.
func TestPlaysOfAnErasedPlayerAreNotSkipped(t *testing.T) {
	b := setup(t)
	plays := &batch{format: formats[len(formats)-1]}
	for _, play := range []string{"$play", "$other"} { // stored, and new
		tx := b.Begin(plays.sql(`create temporary table import_plays on commit drop as
			select 1::bigint as line, {staged} from plays where id = '` + idOf("play").String() + `'`))
		_, err := tx.Exec(t.Context(), `update import_plays set id = $1, player_id = $2, passed = false`,
			idOf(play[1:]), idOf("erased"))
		require.NoError(t, err)
		err = plays.write(t.Context(), tx, plays.now, "import_plays")
		failed, _ := errors.AsType[*pgconn.PgError](err)
		require.NotNil(t, failed, "%v", err)
		require.Equal(t, "23502", failed.Code)
		require.NoError(t, tx.Rollback(t.Context()))
	}
}
