package postgres

import (
	"context"
	"database/sql"
	"errors"
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
func grant(ctx context.Context, db *sql.DB, template, role string) error {
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
	return tx.Commit()
}

// revokeTemporary takes the right to make temporary tables from the serving role, and from no
// other, where the migrating role may: it has to own the database.
const revokeTemporary = `/* postgres.grant */ do $$ begin
	if (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) then
		execute 'revoke temporary on database ' || quote_ident(current_database()) || $role$ from :role$role$;
	end if;
end $$`
