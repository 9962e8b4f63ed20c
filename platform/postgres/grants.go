package postgres

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

// grantsFile is a template of the serving role's rights, in which :role is that role. Each of its
// statements names its table, so that it touches no other program's.
const grantsFile = "grants.sql"

// rolePlaceholder is :role, and not a part of ::role or :roles.
var rolePlaceholder = regexp.MustCompile(`(^|[^:\w]):role\b`)

// fillGrants puts the quoted role into the template.
func fillGrants(template, role string) string {
	quoted := pgx.Identifier{role}.Sanitize()
	return rolePlaceholder.ReplaceAllStringFunc(template, func(match string) string {
		return strings.TrimSuffix(match, ":role") + quoted
	})
}

// grant applies the template in one transaction, so that no request sees the role without its
// rights.
func grant(ctx context.Context, db *sql.DB, template, role string, log *slog.Logger) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var there bool
	if err := tx.QueryRowContext(ctx,
		`/* postgres.grant */ select exists (select from pg_roles where rolname = $1)`, role).
		Scan(&there); err != nil {
		return err
	}
	if !there {
		return errors.New("no such role: create it, or correct the user of the serving URL")
	}
	if _, err := tx.ExecContext(ctx, fillGrants(template, role)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fillGrants(revokeTemporary, role)); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return warnOfPublicRights(ctx, db, role, log)
}

// revokeTemporary takes the right to make temporary tables from the serving role, and from no
// other, where the migrating role may: it has to own the database.
const revokeTemporary = `/* postgres.grant */ do $$ begin
	if (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) then
		execute 'revoke temporary on database ' || quote_ident(current_database()) || $role$ from :role$role$;
	end if;
end $$`

// makesLargeObjects lists the functions that create large objects, which table privileges do not
// cover.
const makesLargeObjects = "lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), " +
	"lo_import(text), lo_import(text, oid)"

// warnOfPublicRights logs the statements that keep the role from filling the disk outside its
// tables. dg does not run them: they revoke rights of PUBLIC, which other programs of the database
// may need.
func warnOfPublicRights(ctx context.Context, db *sql.DB, role string, log *slog.Logger) error {
	var database string
	var temporary, largeObjects bool
	err := db.QueryRowContext(ctx, `/* postgres.grant */ select current_database(),
		has_database_privilege($1, current_database(), 'temporary'), has_function_privilege($1,
		  'lo_create(oid)', 'execute')`,
		role).
		Scan(&database, &temporary, &largeObjects)
	if err != nil {
		return err
	}
	var statements []string
	if temporary {
		statements = append(statements,
			"revoke temporary on database "+pgx.Identifier{database}.Sanitize()+" from public")
	}
	if largeObjects {
		statements = append(statements,
			"revoke execute on function "+makesLargeObjects+" from public")
	}
	if len(statements) > 0 {
		log.Warn("the serving role may make temporary tables or large objects, as everybody in this database may: "+
			"a superuser can revoke it, if no other program of the database needs it", "role", role,
			"statements", strings.Join(statements, "; "))
	}
	return nil
}
