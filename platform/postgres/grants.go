package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

// grantsFile is what the serving role may do: a template in which :role is that role. It is applied after the migrations,
// each time. Each of its statements names its table, so that it touches no table but ours.
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

// grant applies the template in one transaction: no request sees the role without its rights. What PostgreSQL gives to
// everybody beside is taken as far as the owner may.
func grant(ctx context.Context, db *sql.DB, template, role string, log *slog.Logger) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var there bool
	if err := tx.QueryRowContext(ctx, `/* postgres.grant */ select exists (select from pg_roles where rolname = $1)`, role).Scan(&there); err != nil {
		return err
	}
	if !there {
		return errors.New("there is no such role: create it, or correct the user of the serving URL")
	}
	if _, err := tx.ExecContext(ctx, fillGrants(template, role)); err != nil {
		return err
	}
	if err := revokeTemporary(ctx, tx, role, log); err != nil {
		return err
	}
	if err := revokeLargeObjects(ctx, tx, role, log); err != nil {
		return err
	}
	return tx.Commit()
}

// revokeTemporary keeps the role from making temporary tables. The owner of the database keeps the right, which imports
// need; where that is another role than the one that migrates, it is only said what is to be done.
func revokeTemporary(ctx context.Context, tx *sql.Tx, role string, log *slog.Logger) error {
	var database string
	var has, may bool
	err := tx.QueryRowContext(ctx, `/* postgres.grant */ select datname, has_database_privilege($1, oid, 'temporary'), pg_has_role(datdba, 'usage')
		from pg_database where datname = current_database()`, role).Scan(&database, &has, &may)
	if err != nil || !has {
		return err
	}
	statement := fmt.Sprintf("revoke temporary on database %s from public, %s", pgx.Identifier{database}.Sanitize(), pgx.Identifier{role}.Sanitize())
	if !may {
		log.Warn("the role that serves may make temporary tables: let the owner of the database run the statement", "role", role, "statement", statement)
		return nil
	}
	_, err = tx.ExecContext(ctx, "/* postgres.grant */ "+statement)
	return err
}

// largeObjects are the functions that make large objects, which no right on a table bounds.
const largeObjects = "lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), lo_import(text), lo_import(text, oid)"

// revokeLargeObjects keeps the role from making large objects. Only a superuser may take that right away: the embedded
// server has done so (setUp); elsewhere it is only said what is to be done.
func revokeLargeObjects(ctx context.Context, tx *sql.Tx, role string, log *slog.Logger) error {
	var has, may bool
	err := tx.QueryRowContext(ctx, `/* postgres.grant */ select has_function_privilege($1, 'lo_create(oid)', 'execute'),
		(select rolsuper from pg_roles where rolname = current_user)`, role).Scan(&has, &may)
	if err != nil || !has {
		return err
	}
	statement := fmt.Sprintf("revoke execute on function %s from public, %s", largeObjects, pgx.Identifier{role}.Sanitize())
	if !may {
		log.Warn("the role that serves may make large objects: let a superuser run the statement", "role", role, "statement", statement)
		return nil
	}
	_, err = tx.ExecContext(ctx, "/* postgres.grant */ "+statement)
	return err
}
