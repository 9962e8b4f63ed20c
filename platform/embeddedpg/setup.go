package embeddedpg

import (
	"context"
	_ "embed"
	"net/url"

	"github.com/jackc/pgx/v5"
)

//go:embed setup.sql
var setupSQL string

// url connects over the socket. The folder that it is in keeps others out.
func (f folder) url(role, database string) string {
	query := url.Values{"host": {f.socket}, "connect_timeout": {"10"}}
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}

func ping(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// setUp creates the roles and the database if needed.
func (f folder) setUp(ctx context.Context) error {
	server, err := pgx.Connect(ctx, f.url("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer server.Close(ctx)
	var there bool
	err = server.QueryRow(ctx, `/* embeddedpg.setUp */ select exists (select from pg_database where datname = 'dg')`).Scan(&there)
	if err == nil && !there {
		_, err = server.Exec(ctx, `create database dg`)
	}
	if err != nil {
		return err
	}
	database, err := pgx.Connect(ctx, f.url("postgres", "dg"))
	if err != nil {
		return err
	}
	defer database.Close(ctx)
	_, err = database.Exec(ctx, setupSQL)
	return err
}
