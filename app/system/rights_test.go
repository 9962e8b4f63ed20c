package system

import (
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// roles.sh needs no superuser, logs no password, and reports excess rights that remain.
func TestRolesScriptNeedsNoSuperuserAndLogsNoPassword(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("psql"); err != nil {
		tb.SkipOrFail(t, err)
	}
	pg := apptest.NewExternalServer(t)
	superuser := strings.Replace(pg.URLAs(url.User("postgres")), "/dg?", "/template1?", 1)
	require.NoError(t, tb.Exec(t, superuser, `create role manager login createrole createdb; alter database postgres allow_connections false;
		alter role postgres set log_statement = 'all'; alter role postgres set log_min_duration_statement = 0`))
	for _, user := range []string{"postgres", "manager"} {
		for _, sql := range []string{`drop database dg`, `drop role dg_app`, `drop role dg_owner`} {
			require.NoError(t, tb.Exec(t, superuser, sql))
		}
		createRoles(pg, user)
	}
	pg.Exec(`create role azure_pg_admin; grant azure_pg_admin to manager; alter schema public owner to azure_pg_admin;
		revoke all on schema public from dg_owner; grant all on schema public to public`) // as on Azure
	require.Regexp(t, `^Remains open: dg_app may create large objects.*\n$`, createRoles(pg, "manager"))
	log := apptest.ReadFile(t, pg.Dir, "postgres.log")
	require.Contains(t, log, "revoke temporary on database dg", "statements are logged")
	require.NotContains(t, log, "hunter2")
	pg.RequireSuccess("migrate")
	doctor := func() string { return pg.RequireSuccess("doctor", "--secret-key", firstSecretKey) }
	output := doctor()
	require.Regexp(t, `warning +rights +the serving role may create large objects`, output)
	pg.Exec(adviceSQLPattern.FindStringSubmatch(output)[1])
	require.NotRegexp(t, `warning|failure`, doctor())
}

func createRoles(pg *apptest.ExternalServer, user string) (output string) {
	run := func(appPassword string) (string, error) {
		c := exec.CommandContext(pg.T.Context(), "sh", apptest.RepositoryPath("configs", "deploy", "roles.sh"))
		c.Env = append(apptest.CleanEnvironment(), "PGHOST="+pg.Link, "PGPORT=5432", "PGUSER="+user,
			"PGDATABASE=template1", "OWNER_PASSWORD=hunter2", "APP_PASSWORD="+appPassword)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	out, err := run("") // the password is empty, as after a failure of openssl
	require.Error(pg.T, err)
	require.Contains(pg.T, out, "APP_PASSWORD")
	out, err = run("hunter2")
	require.NoError(pg.T, err, out)
	return out
}

// The serving role cannot undo a revocation, hide the use of a key, or fill the disk outside the tables.
func TestServingRoleHasMinimalRights(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	dg := pg.Serve("--demo") // the import of the demo uses temporary tables, as the owner
	servingPool := tb.Must(pgxpool.New(t.Context(), pg.URL))(t)
	defer servingPool.Close()
	db := pg.World
	grants := ""
	for _, name := range tb.Must(filepath.Glob(apptest.RepositoryPath("migrations", "grants", "*.sql")))(t) {
		grants += apptest.ReadFile(t, name)
	}
	require.Zero(t, db.CountRows(`pg_proc where pronamespace = 'public'::regnamespace and
		proconfig is distinct from '{"search_path=public, pg_temp"}'`), "a trigger runs as the role that writes")
	require.NotContains(t, grants, "on all tables", "such a statement touches others' tables")
	for table := range apptest.RowCounts(t, db) {
		require.Contains(t, grants, "revoke all on "+table+" from :role;", "a right that is no longer given is taken")
	}
	db.Exec(`insert into api_keys
		(id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name, revoked_at)
		select 'gone', id, 'Gone', '{forks:read}', sha256(''), now(), '', '', now() - interval '1 h'
		  from organisations limit 1`)
	db.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at)
		select id, 'gone', 'Gone', 'revoked', now() - interval '1 h' from organisations limit 1`)
	newKey := func(id, used, revoked string) string {
		return fmt.Sprintf(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at,
			created_by, creator_name, last_used_at, revoked_at)
			select '%s', id, 'New', '{forks:read}', sha256(''), now(), '', '', %s::timestamptz,
			  %s::timestamptz from organisations limit 1`, id, used, revoked)
	}
	run := func(sql string) error { return tb.ErrorOf(servingPool.Exec(t.Context(), sql)) }
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
		`update audit_refusals set refusals = refusals + 1`,
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
		for range 2 {
			require.NoError(t, run(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
				select id, 'old', 'Old', 'revoked', now() - interval '1 year', 99 from organisations limit 1
				on conflict (org_id, key_id, reason, at) do update set refusals = audit_refusals.refusals + 1`))
		}
		require.Equal(t, 2, testkit.Query[int](db, `select sum(refusals)::int from audit_refusals
			where key_id = 'old' and at >= date_trunc('minute', now()) - interval '1 min'`))
	})
	t.Run("the end of a replaced key is brought forward, never to the past", func(t *testing.T) {
		require.NoError(t, run(newKey("new", "null", "null")))
		for _, step := range []struct{ revokedAt, condition string }{
			{"now() + interval '7 d'", "revoked_at > now() + interval '6 d'"},
			{"now() + interval '1 d'", "revoked_at < now() + interval '2 d'"},
			{"now() - interval '1 d'", "revoked_at between now() - interval '1 min' and clock_timestamp()"},
		} {
			require.NoError(t, run(`update api_keys set revoked_at = `+step.revokedAt+` where id = 'new'`))
			require.True(t, testkit.Query[bool](db, `select `+step.condition+` from api_keys where id = 'new'`),
				step.revokedAt)
			require.Error(t, run(`update api_keys set revoked_at = revoked_at + interval '1 min' where id = 'new'`),
				"put off")
		}
		require.Error(t, run(`update api_keys set revoked_at = null where id = 'new'`))
	})
	require.True(t, dg.Accepts(dg.DemoToken()))
}
