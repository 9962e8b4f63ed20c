package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/platform/config"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// A wrong clock, a full disk, few connections, a server that may lose commits, and an open ops address give warnings.
func TestClockDiskAndOpsAddressAreChecked(t *testing.T) {
	db := pgtest.New(t)
	sql := tb.Must(queries.ReadFile("sql/database.sql"))(t)
	for behind, wantFaults := range map[time.Duration]int{time.Second: 2, 6 * time.Second: 3} {
		rows := tb.Must(db.Owner.Pool.Query(t.Context(), string(sql),
			pgx.NamedArgs{"now": time.Now().Add(-behind), "owner": "dg_owner", "connections": 798, "pooled": false}))(t)
		faults := tb.Must(pgx.CollectRows(rows, pgx.RowToMap))(t)
		require.Len(t, faults, wantFaults, "%v", faults)
		require.Contains(t, fmt.Sprint(faults), "fsync, full_page_writes, synchronous_commit is off")
		require.Contains(t, fmt.Sprint(faults), "max_connections of PostgreSQL admits 797")
	}
	const gib = 1 << 30
	require.Empty(t, checkFreeSpace(gib))
	require.Len(t, checkFreeSpace(gib-1), 1)
	for address, want := range map[string]int{"0.0.0.0:1": 1, ":1": 1, "[::]:1": 1, "127.0.0.1:1": 0, "dg:1": 0} {
		s := &Installation{Serve: config.Serve{OpsAddr: address, Address: config.Address{Addr: "127.0.0.1:1"}}}
		warnings, _ := checkSettings(t.Context(), s)
		require.Len(t, warnings, want, address)
	}
}

// explain adds advice to errors of refused connections. No test server returns these errors.
func TestRefusedConnectionsAreExplained(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	require.Equal(t, ended.Err(), explain(ended.Err()), "a slow query")
	_, silence := postgres.Open(ended, "postgres://dg@127.0.0.1:1/dg", postgres.Options{})
	for advice, err := range map[string]error{
		`drop sslmode=disable from the URL, if "certificate", add sslcert`:    &pgconn.PgError{Code: "28000"},
		"is still meant, run there: alter role {role} valid until 'infinity'": &pgconn.PgError{Code: "28P01"},
		"let pg_hba.conf admit it":                   &pgconn.PgError{Code: "28000", Routine: "ClientAuthentication"},
		"set DG_DATABASE_POOLER to transaction":      &pgconn.PgError{Code: "42P05"},
		"raise max_connections":                      &pgconn.PgError{Code: "53300", Routine: "InitProcess"},
		"wait until PostgreSQL has started":          &pgconn.PgError{Code: "57P03"},
		"free some room on the disk of the database": &pgconn.PgError{Code: "53100"},
		"some room on the disk of the database":      &pgconn.PgError{Code: "XX000", Routine: "write_item"},
		"wait until what locks a table has ended":    &pgconn.PgError{Code: "55P03"},
		"is too old: update it to 15 or later":       &pgconn.PgError{Code: "42703", Message: `column "datlocprovider"`},
		"PostgreSQL is too old: update it":           &pgconn.PgError{Code: "42704", Message: `"idle_session_timeout"`},
		"owner of the database: create schema":       &pgconn.PgError{Code: "3F000"},
		"which PostgreSQL has not, from the URL":     &pgconn.PgError{Code: "42601"}, // options=endpoint=x
		"too old for sslnegotiation=direct":          errors.Join(&pgconn.PgError{}, errors.New("write failed: EOF")),

		"renew the server's certificate":   errors.Join(&pgconn.PgError{}, errors.New("x509: certificate has expired")),
		"add sslrootcert=FILE to the URL":  errors.Join(&pgconn.PgError{}, x509.UnknownAuthorityError{}), // verify-ca
		"use a host with IPv4":             errors.Join(&pgconn.PgError{}, syscall.ENETUNREACH),
		"let the network pass connections": errors.Join(&pgconn.PgError{}, syscall.EHOSTUNREACH),

		"127.0.0.1:1: context deadline exceeded: let the network": silence,
	} {
		require.ErrorContains(t, explain(fmt.Errorf("open: %w", err)), advice)
	}
	config := tb.Must(pgconn.ParseConfig("postgres://dg@localhost"))(t)
	config.Database, config.DialFunc = "", func(context.Context, string, string) (net.Conn, error) {
		return nil, &pgconn.PgError{Code: "53300", Routine: "CheckMyDatabase"}
	}
	require.ErrorContains(t, explain(tb.ErrorOf(pgconn.ConnectConfig(t.Context(), config))), `alter database "dg" connection`)
}
