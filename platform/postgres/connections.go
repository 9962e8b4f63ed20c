package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// AllowedConnections returns how many connections the role may have: those of the server that are
// not reserved, bounded by the limits of role and database.
func AllowedConnections(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (allowed int, err error) {
	err = db.QueryRow(ctx,
		`/* postgres.allowedConnections */ select least(current_setting('max_connections')::int
		  - current_setting('superuser_reserved_connections')::int
		  - coalesce(current_setting('reserved_connections', true)::int, 0),
		  nullif(rolconnlimit, -1), nullif(datconnlimit, -1))
		from pg_roles, pg_database where rolname = current_user and datname = current_database()`).
		Scan(&allowed)
	return allowed, err
}
