package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

// A transient failure counts as unavailable. A mistake in the program or a cancelled context does not.
func TestTransientFailuresAreUnavailable(t *testing.T) {
	pgError := func(code string) error { return &pgconn.PgError{Code: code} }
	for want, errs := range map[bool][]error{
		true: {
			&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
			fmt.Errorf("write failed: %w", syscall.ECONNRESET), fmt.Errorf("write failed: %w", syscall.EPIPE),
			fmt.Errorf("receive message: %w", io.ErrUnexpectedEOF), pgconn.ErrConnClosed, puddle.ErrClosedPool,
			context.DeadlineExceeded, // no connection was free in time
			&net.DNSError{IsTimeout: true}, fmt.Errorf("open: %w", &pgconn.ConnectError{}), &SessionError{},
			pgError("57P01"), pgError("57P02"), pgError("57P03"), // the server was stopped, has crashed, is starting
			pgError("57014"), pgError("55P03"), pgError("25P03"), // timeout of a statement, a lock, an idle transaction
			pgError("53300"), pgError("53100"), pgError("08006"), // too many connections, disk full, connection failure
			pgError("3D000"), pgError("28P01"), // no such database, wrong password
			pgError("58030"),                   // I/O error of the server
			pgError("40001"),                   // serialization failure, or conflict with a standby's recovery
			pgError("40P01"), pgError("25006"), // deadlock, read-only transaction
			&pgconn.PgError{Code: "0A000", Routine: "get_relation_info"}, // an unlogged table on a standby
			fmt.Errorf("keys: %w", pgError("57P01")), sql.ErrTxDone,      // the context ended before the commit
		},
		false: {
			nil, context.Canceled, fmt.Errorf("x: %w", context.Canceled),
			fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, pgError("23505")),
			pgError("22P02"), pgError("42601"), // bad value, syntax
			pgError("0A000"), pgError("55006"), // feature not supported, object in use
			pgx.ErrNoRows, gorm.ErrRecordNotFound, errors.New("x"), os.ErrNotExist,
		},
	} {
		for _, err := range errs {
			require.Equal(t, want, IsUnavailable(err), "%v", err)
		}
	}
}

// The error of an invalid URL names the fault, without the password. RoleOf finds the user anywhere in the URL.
func TestUnreadableURLNamesItsFault(t *testing.T) {
	for suffix, want := range map[string]string{
		"host/dg?sslrootcert=/nowhere.pem":    "open /nowhere.pem: no such file",
		"host/dg?sslrootcert=/dev/null":       "unable to add CA to cert pool",
		"host/dg?sslmode=verify":              "sslmode is invalid",
		"host/dg?sslcert=/a.pem":              `"sslkey" are required`,
		"host/dg?connect_timeout=abc":         "invalid connect_timeout",
		"host/dg?target_session_attrs=master": "target_session_attrs value: master",
		"host/dg?pool_max_conns=x":            "cannot parse pool_max_conns",
		"host/dg?default_query_exec_mode=x":   "invalid default_query_exec_mode",
		"host:abc/dg":                         "invalid port",
		"a,b/dg?port=1,2,3":                   "3 port numbers to 2 hosts",
		"word@host/dg":                        "percent-encoded",
		"host/dg?application_name=a@b":        "percent-encoded",
	} {
		_, err := RoleOf("postgres://dg:pass@" + suffix)
		require.ErrorContains(t, err, want, suffix)
		require.NotContains(t, err.Error(), "pass@", suffix)
	}
	for url, want := range map[string]string{
		"postgres://dg:p%40ss?word@host/dg": "dg", "postgresql:///dg?host=/tmp&user=dg@corp": "dg@corp",
		"postgres://dg%40corp@host/dg?application_name=a%40b": "dg@corp", "postgres://dg%2Fapp@host": "dg/app",
	} {
		role, err := RoleOf(url)
		require.NoError(t, err, url)
		require.Equal(t, want, role)
	}
}

// With several hosts in the URL, each has a short timeout, and standbys are skipped.
func TestEachOfSeveralHostsHasAShortTimeout(t *testing.T) {
	for hosts, timeout := range map[string]time.Duration{"a": connectTimeout, "a,b": hostTimeout} {
		config, err := parseURL("postgres://dg_app@" + hosts + "/dg?sslmode=prefer")
		require.NoError(t, err)
		prepareHosts(&config.ConnConfig.Config, Options{lazy: true})
		require.Nil(t, config.ConnConfig.ValidateConnect, "all hosts of a replica are standbys")
		prepareHosts(&config.ConnConfig.Config, Options{})
		require.Equal(t, timeout, config.ConnConfig.ConnectTimeout)
		require.Equal(t, timeout == hostTimeout, config.ConnConfig.ValidateConnect != nil)
	}
}

// A span's name is the statement's tag. Without a tag it is the first word of the statement.
func TestSpansAreNamedByTags(t *testing.T) {
	for sql, want := range map[string]string{
		"/* reports.days */ select 1": "reports.days", "\n\t/* audit.appendToAll */\n\tinsert": "audit.appendToAll",
		"begin isolation level serializable": "begin", "-- ping": "ping", "COMMIT": "COMMIT",
		"select 'secret'": "select", "/* secret */ select 'secret'": "statement", "'secret'": "statement",
		"": "statement",
	} {
		require.Equal(t, want, statementName(sql), "%q", sql)
	}
}
