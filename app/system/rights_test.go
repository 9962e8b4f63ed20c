package system

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/migrations"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// operations.md, Install: roles.sh runs twice on a managed server, without a superuser. It reports the
// excess rights that remain, as does dg doctor. The statement of dg doctor revokes them.
func TestRolesAreCreatedWithoutSuperuser(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("psql"); err != nil {
		tb.SkipOrFail(t, err)
	}
	server := joinServer(t, apptest.NewFolder(t))
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	superuser := tb.AsRole(server.URL(), "postgres")
	in := func(name string) string { return tb.ChangeURL(superuser, func(u *url.URL) { u.Path = "/" + name }) }
	for _, sql := range []string{`drop database dg`, `drop role dg_app`, `drop role dg_owner`,
		`create role manager login createrole createdb`} {
		require.NoError(t, tb.Exec(t, in("postgres"), sql))
	}
	for range 2 {
		require.Regexp(t, `^Remains open: dg_app may create large objects.*\n$`,
			createRoles(t, superuser, "manager"))
	}
	doctor := func() string {
		c := apptest.Launch(t, "doctor", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
			"--secret-key", firstSecretKey, "--database-url", server.URL(),
			"--migrate-database-url", server.OwnerURL())
		require.Zero(t, c.Status(time.Minute), c.Out.String())
		return c.Out.String()
	}
	c := apptest.Launch(t, "migrate", "--database-url", server.URL(), "--migrate-database-url",
		server.OwnerURL())
	require.Zero(t, c.Status(time.Minute), c.Log.String())
	said := doctor()
	require.Regexp(t, `warning +rights +the serving role may create large objects`, said)
	require.NoError(t, tb.Exec(t, superuser, sqlOfAdvice.FindStringSubmatch(said)[1]))
	require.NotRegexp(t, `warning|failure`, doctor())
}

// createRoles runs roles.sh as a user on the URL's server.
func createRoles(t *testing.T, server, user string) (says string) {
	parsed, err := url.Parse(server)
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), "sh", apptest.InTree("configs", "deploy", "roles.sh"))
	c.Env = append(apptest.CleanEnvironment(), "PGHOST="+parsed.Query().Get("host"), "PGPORT=5432",
		"PGUSER="+user, "OWNER_PASSWORD=hunter2", "APP_PASSWORD=hunter2")
	empty := exec.CommandContext(t.Context(), "sh", c.Args[1])
	empty.Env = append(slices.Clone(c.Env), "APP_PASSWORD=") // a failed openssl
	out, err := empty.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "APP_PASSWORD")
	out, err = c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// operations.md, Install: if a superuser runs roles.sh, no password gets into the log of a server
// that logs all statements.
func TestRolesScriptLogsNoPassword(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("psql"); err != nil {
		tb.SkipOrFail(t, err)
	}
	dir := apptest.NewFolder(t)
	server := joinServer(t, dir)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	superuser := tb.ChangeURL(tb.AsRole(server.URL(), "postgres"), func(u *url.URL) { u.Path = "/postgres" })
	for _, sql := range []string{`drop database dg`, `drop role dg_app`, `drop role dg_owner`,
		`alter role postgres set log_statement = 'all'`,
		`alter role postgres set log_min_duration_statement = 0`} {
		require.NoError(t, tb.Exec(t, superuser, sql))
	}
	createRoles(t, superuser, "postgres")
	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "revoke temporary on database dg", "statements are logged")
	require.NotContains(t, string(log), "hunter2")
}

// The serving role has only the rights that dg needs. An attacker with an injection or a stolen
// password cannot undo a revocation, hide a use, or fill the disk outside the tables.
func TestServingRoleHasMinimalRights(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	c := x.Serve("--demo") // the import of the demo uses temporary tables, as the owner
	serving, err := pgxpool.New(t.Context(), x.URL)
	require.NoError(t, err)
	defer serving.Close()
	d := x.World
	files, err := fs.Glob(migrations.FS, "grants/*.sql")
	require.NoError(t, err)
	grants := ""
	for _, name := range files {
		content, err := fs.ReadFile(migrations.FS, name)
		require.NoError(t, err)
		grants += string(content)
	}
	require.NotContains(t, grants, "on all tables", "such a statement touches others' tables")
	for table := range apptest.Tables(t, d) {
		require.Contains(t, grants, "revoke all on "+table+" from :role;",
			"a right that is no longer given is taken")
	}
	d.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name, revoked_at)
		select 'gone', id, 'Gone', '{forks:read}', sha256(''), now(), '', '', now() - interval '1 h'
		  from organisations limit 1`)
	d.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at)
		select id, 'gone', 'Gone', 'revoked', now() from organisations limit 1`)
	newKey := func(id, used, revoked string) string {
		return fmt.Sprintf(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at,
			created_by, creator_name, last_used_at, revoked_at)
			select '%s', id, 'New', '{forks:read}', sha256(''), now(), '', '', %s::timestamptz,
			  %s::timestamptz from organisations limit 1`, id, used, revoked)
	}
	run := func(sql string) error {
		_, err := serving.Exec(t.Context(), sql)
		return err
	}
	for _, refused := range []string{
		`update api_keys set revoked_at = null where id = 'gone'`,
		`update api_keys set revoked_at = now() where id = 'gone'`,
		`update api_keys set revoked_at = now() - interval '1 d' where id = 'gone'`,
		`update api_keys set revoked_at = now() + interval '1 d' where id = 'gone'`,
		`update api_keys set revoked_at = now() + interval '8 d' where id <> 'gone'`,
		newKey("used", "now()", "null"), newKey("revoked", "null", "now()"),
		`select configuration from forks`, `select f from forks f`, `create temporary table t (id int)`,
		`select lo_create(0)`, `select lo_creat(-1)`, `select lo_from_bytea(0, 'x')`,
		`select lo_import('/etc/hostname')`,
		`update audit_refusals set refusals = 0`, `update audit_refusals set refusals = refusals + 2`,
		`delete from audit_entries`, `update audit_entries set reason = ''`, `truncate audit_entries`,
		`update organisations set plan = 'enterprise'`, `update organisations set name = 'x'`,
		`update organisations set version = 1`, `delete from organisations`,
		`insert into organisations select * from organisations`, `truncate organisations cascade`,
		`update memberships set role = 'owner'`, `create table public.shadow (id int)`,
	} {
		var denied *pgconn.PgError
		require.ErrorAs(t, run(refused), &denied, "%s", refused)
		require.Equal(t, "42501", denied.Code, "%s: %v", refused, denied)
	}

	t.Run("refusals are counted one by one, in the database's minute", func(t *testing.T) {
		require.NoError(t, run(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
			select id, 'old', 'Old', 'revoked', now() - interval '1 year', 99 from organisations limit 1`))
		require.NoError(t, run(`update audit_refusals set refusals = refusals + 1 where key_id = 'old'`))
		require.Equal(t, 1, d.Count(`audit_refusals where key_id = 'old' and refusals = 2
			and at >= date_trunc('minute', now()) - interval '1 min'`))
	})
	t.Run("the end of a replaced key is brought forward, never to the past", func(t *testing.T) {
		require.NoError(t, run(newKey("new", "null", "null")))
		for _, step := range []struct{ revoke, holds string }{
			{"now() + interval '7 d'", "revoked_at > now() + interval '6 d'"},
			{"now() + interval '1 d'", "revoked_at < now() + interval '2 d'"},
			{"now() - interval '1 d'", "revoked_at between now() - interval '1 min' and clock_timestamp()"},
		} {
			require.NoError(t, run(`update api_keys set revoked_at = `+step.revoke+` where id = 'new'`))
			require.True(t, testkit.One[bool](d, `select `+step.holds+` from api_keys where id = 'new'`), step.revoke)
			require.Error(t, run(`update api_keys set revoked_at = revoked_at + interval '1 min' where id = 'new'`),
				"put off")
		}
		require.Error(t, run(`update api_keys set revoked_at = null where id = 'new'`))
	})
	require.True(t, c.Accepts(c.DemoToken()))
}
