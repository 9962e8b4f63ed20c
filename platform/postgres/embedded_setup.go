package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// setUp makes the database and the roles where they are missing; it is run at every start.
//
// The serving role comes last: whoever can connect as dg_app finds all the rest done.
func setUp(ctx context.Context, socket string) error {
	server, err := pgx.Connect(ctx, connectionURL(socket, superuser, superuser))
	if err != nil {
		return err
	}
	defer server.Close(ctx)
	if err := makeRole(ctx, server, ownerRole); err != nil {
		return err
	}
	var there bool
	err = server.QueryRow(ctx, `/* postgres.setup */ select exists (select from pg_database where datname = $1)`, databaseName).Scan(&there)
	if err != nil {
		return err
	}
	if !there {
		if _, err := server.Exec(ctx, fmt.Sprintf(`create database %s owner %s`, databaseName, ownerRole)); err != nil {
			return err
		}
	}
	db, err := pgx.Connect(ctx, connectionURL(socket, superuser, databaseName))
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	if _, err := db.Exec(ctx, `revoke create on schema public from public; revoke execute on function `+largeObjects+` from public`); err != nil {
		return err
	}
	return makeRole(ctx, server, servingRole)
}

// makeRole makes a role that may connect and nothing else. Errors of its statements are told to the client only:
// their text quotes values, and those must not land in the server's log.
func makeRole(ctx context.Context, conn *pgx.Conn, role string) error {
	var there bool
	err := conn.QueryRow(ctx, `/* postgres.setup */ select exists (select from pg_roles where rolname = $1)`, role).Scan(&there)
	if err != nil || there {
		return err
	}
	// One statement string is one transaction: no role without its setting.
	_, err = conn.Exec(ctx, fmt.Sprintf(`create role %[1]s login; alter role %[1]s set log_min_messages = 'log'`, role))
	return err
}
