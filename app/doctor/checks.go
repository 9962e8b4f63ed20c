package doctor

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Stage is when dg serve makes a check.
type Stage int

// The stages: before it opens the database, with a server, and with a schema.
const (
	Machine Stage = iota
	Server
	Schema
)

// check is a row of the table: a query with a row for each fault, or a function.
type check struct {
	stage   Stage
	name    string
	last    bool // with a fault, what follows cannot be checked
	find    func(context.Context, *Subject) []Finding
	sql     string // instead of find
	verdict Verdict
	fix     string
}

// owns is whether the serving role has all rights on dg's tables.
const owns = `pg_has_role((select relowner from pg_class where oid = 'audit_entries'::regclass), 'usage')`

const apart = "Give DG_DATABASE_URL a role of its own that owns nothing, and DG_MIGRATE_DATABASE_URL " +
	"the owner's; then run dg migrate."

// checks is the table.
var checks = []check{
	{stage: Machine, name: "settings", find: findSettings},
	{stage: Machine, name: "address", find: findAddresses},
	{stage: Machine, name: "folder", find: findFolder},
	{stage: Server, name: "database", last: true, find: findDatabase},
	{stage: Server, name: "build", last: true, verdict: Failure,
		sql: `select 'this database is of an earlier build of dg' from pg_class
			where relnamespace = 'public'::regnamespace and relname = 'goose_db_version'`,
		fix: "Give dg an empty database or data folder."},
	{stage: Server, name: "owner", find: findOwner},
	{stage: Server, name: "version", verdict: Failure,
		sql: `select format('PostgreSQL %s is too old', current_setting('server_version'))
			where current_setting('server_version_num')::int < 150000`,
		fix: "Update PostgreSQL to 15 or later."},
	{stage: Server, name: "primary", verdict: Failure,
		sql: `select 'the database is a standby or read-only, and every request writes'
			where pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`,
		fix: "Point DG_DATABASE_URL at the primary; a URL may name several hosts."},
	{stage: Server, name: "clock", verdict: Warning,
		sql: `select format('the clocks of the database and this machine differ by %s s', round(skew))
			from (select abs(extract(epoch from clock_timestamp() - @now::timestamptz)) as skew) c
			where skew > 5`,
		fix: "Set both by NTP: codes of two-step verification and sessions depend on them."},
	{stage: Server, name: "encoding", verdict: Failure,
		sql: `select 'the database has the encoding ' || getdatabaseencoding()
			where getdatabaseencoding() <> 'UTF8'`,
		fix: "Create the database with roles.sh, and restore a dump into it."},
	{stage: Server, name: "collation", verdict: Warning,
		sql: `select 'the database has the collation ' || coalesce(to_jsonb(d) ->> 'daticulocale',
			  to_jsonb(d) ->> 'datlocale', datcollate) from pg_database d
			where datname = current_database()
			  and (datlocprovider <> 'c' or datcollate not in ('C', 'POSIX'))
			union all
			select format('the database has version %s of its collation, the system %s', datcollversion,
			  pg_database_collation_actual_version(oid)) from pg_database
			where datname = current_database()
			  and datcollversion <> pg_database_collation_actual_version(oid)`,
		fix: "Create the database with roles.sh, which sets C, and restore a dump into it."},
	{stage: Schema, name: "schema", last: true, verdict: Failure,
		sql: `select 'the serving role may not use the schema public'
			where not has_schema_privilege('public', 'usage')`,
		fix: fixes["42501"]},
	{stage: Schema, name: "migrations", last: true, verdict: Warning,
		sql: `select format('the schema ends at %s, this program at %s', max(version_id), @known::int)
			from dg_schema_versions where is_applied having max(version_id) < @known::int`,
		fix: "Run dg migrate, or start dg serve."},
	{stage: Schema, name: "powers", verdict: Failure,
		sql: `select 'the serving role is a superuser: a stolen password could change the audit log'
			from pg_roles where rolname = current_user and rolsuper
			union all
			select format('the serving role owns %s tables, so it could change the audit log', count(*))
			from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
			  and relowner = current_user::regrole and not @alone::boolean having count(*) > 0`,
		fix: apart},
	{stage: Schema, name: "roles", verdict: Warning,
		sql: `select 'one role migrates and serves: a stolen password could change the audit log'
			where @alone::boolean and ` + owns,
		fix: apart},
	{stage: Schema, name: "rights", verdict: Failure,
		sql: `select 'the serving role may not ' || string_agg(what, ', ') from (values
			('read plays', has_table_privilege('plays', 'select')),
			('read keys', has_table_privilege('api_keys', 'select')),
			('add audit entries', has_table_privilege('audit_entries', 'insert')),
			('seal days', has_table_privilege('fork_days', 'insert')),
			('count requests', has_any_column_privilege('api_key_windows', 'update')),
			('keep sessions', has_table_privilege('sessions', 'insert'))) r (what, may)
			where not may having count(*) > 0`,
		fix: fixes["42501"]},
	{stage: Schema, name: "excess", verdict: Failure,
		sql: `select 'the serving role may ' || string_agg(what, ', ') from (values
			('change audit entries', has_table_privilege('audit_entries', 'update')),
			('remove audit entries', has_table_privilege('audit_entries', 'delete')),
			('remove keys', has_table_privilege('api_keys', 'delete')),
			('change plays', has_table_privilege('plays', 'update'))) r (what, may)
			where may and not ` + owns + ` having count(*) > 0`,
		fix: "Run dg migrate, which revokes it; look for grants to public."},
	{stage: Schema, name: "secrets", find: findSecrets},
	{stage: Schema, name: "replicas", find: findReplicas},
}

// run returns the faults.
func (c check) run(ctx context.Context, s *Subject) (findings []Finding) {
	if c.find != nil {
		return c.find(ctx, s)
	}
	rows, _ := s.db.Pool.Query(ctx, "/* doctor.check */ "+c.sql, pgx.NamedArgs{
		"now": time.Now(), "known": knownVersion(), "alone": !s.Embedded() && s.MigrateDatabaseURL == "",
	})
	faults, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return failed(c.name, err)
	}
	for _, says := range faults {
		findings = append(findings, Finding{c.name, c.verdict, says, c.fix})
	}
	return findings
}
