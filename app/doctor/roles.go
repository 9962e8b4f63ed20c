package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// rightsSQL finds rights that the serving role has and must not have, and those that it lacks.
const rightsSQL = `/* doctor.rights */
select coalesce((select rolsuper from pg_roles where rolname = current_user), false),
       (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'public' and c.relkind = 'r' and pg_has_role(c.relowner, 'usage')),
       array(select what from (values
           ('change audit entries', has_table_privilege('audit_entries', 'update')),
           ('remove audit entries', has_table_privilege('audit_entries', 'delete')),
           ('remove keys', has_table_privilege('api_keys', 'delete')),
           ('change plays', has_table_privilege('plays', 'update'))) t (what, may) where may),
       array(select what from (values
           ('read plays', has_table_privilege('plays', 'select')),
           ('read keys', has_table_privilege('api_keys', 'select')),
           ('add audit entries', has_table_privilege('audit_entries', 'insert')),
           ('seal days', has_table_privilege('fork_days', 'insert')),
           ('count requests', has_any_column_privilege('api_key_windows', 'update')),
           ('keep sessions', has_table_privilege('sessions', 'insert'))) t (what, may) where not may)`

// Rights checks the rights of the serving role. alone: it also migrates.
func Rights(ctx context.Context, conn *pgx.Conn, alone bool) (Finding, error) {
	var superuser bool
	var owned int
	var tooMuch, tooLittle []string
	err := conn.QueryRow(ctx, rightsSQL).Scan(&superuser, &owned, &tooMuch, &tooLittle)
	if missing(err) {
		return Warn("roles", "not checked: the schema is missing", "Run dg migrate first."), nil
	}
	if err != nil {
		return Finding{}, err
	}
	const apart = "Give DG_DATABASE_URL a role of its own that owns nothing, and " +
		"DG_MIGRATE_DATABASE_URL the owner's; then run dg migrate."
	switch {
	case superuser:
		return Fail("roles",
				"the serving role is a superuser: a stolen password could change the audit log",
				apart),
			nil
	case owned > 0 && alone:
		return Warn("roles", "one role migrates and serves: a stolen password could change the "+
			"audit log", apart), nil
	case owned > 0:
		return Fail("roles",
			fmt.Sprintf("the serving role owns %d tables, so it could change the audit log", owned),
			apart), nil
	case len(tooLittle) > 0:
		return Fail("roles", "the serving role may not "+strings.Join(tooLittle, ", "),
			"Run dg migrate, which grants what is missing."), nil
	case len(tooMuch) > 0:
		return Fail("roles", "the serving role may "+strings.Join(tooMuch, ", "),
			"Run dg migrate, which revokes it; look for grants to public."), nil
	}
	return ok("roles", "the serving role owns nothing, and may do what it needs"), nil
}

// publicSQL lists the statements that take from PUBLIC what table privileges do not cover.
const publicSQL = `/* doctor.public */
select array(select what from (values
           (format('revoke temporary on database %I from public', current_database()),
             has_database_privilege(current_database(), 'temporary')),
           ('revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), '
             'lo_import(text), lo_import(text, oid) from public',
             has_function_privilege('lo_create(oid)', 'execute'))) t (what, may) where may)`

// Public warns of rights of PUBLIC that let the serving role fill the disk outside its tables.
// Other programs may need them, so dg does not revoke them.
func Public(ctx context.Context, conn *pgx.Conn) (Finding, error) {
	var statements []string
	err := conn.QueryRow(ctx, publicSQL).Scan(&statements)
	if err != nil || len(statements) == 0 {
		return ok("public", "the serving role may make no temporary tables and no large objects"), err
	}
	return Warn("public",
		"the serving role may make temporary tables or large objects, as everybody in this database may",
		"If no other program of the database needs it, as a superuser: "+
			strings.Join(statements, "; ")+"."), nil
}

// Pooler reports the pooler of a connection that Reach has opened. prepared: it keeps prepared
// statements.
func Pooler(expected, prepared bool) Finding {
	switch {
	case !expected:
		return ok("pooler", "each connection has a session of its own")
	case !prepared:
		return ok("pooler", "its sessions have dg's settings. It keeps no prepared statements; "+
			"PgBouncer does from 1.21 on, with max_prepared_statements")
	}
	return ok("pooler", "its sessions have dg's settings, and it keeps prepared statements")
}
