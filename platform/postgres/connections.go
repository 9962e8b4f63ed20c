package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// AllowedConnections returns how many connections the server leaves to roles that are no
// superusers.
func AllowedConnections(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (allowed int, err error) {
	err = db.QueryRow(ctx,
		`/* postgres.allowedConnections */ select current_setting('max_connections')::int
		- current_setting('superuser_reserved_connections')::int - coalesce(current_setting('reserved_connections', true)::int, 0)`).
		Scan(&allowed)
	return allowed, err
}
