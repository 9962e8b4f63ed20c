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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

func TestUnavailable(t *testing.T) {
	t.Parallel()
	code := func(code string) error { return &pgconn.PgError{Code: code} }
	for want, errs := range map[bool][]error{
		true: {
			&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
			fmt.Errorf("write failed: %w", syscall.ECONNRESET),
			fmt.Errorf("write failed: %w", syscall.EPIPE),
			fmt.Errorf("receive message: %w", io.ErrUnexpectedEOF),
			pgconn.ErrConnClosed,
			puddle.ErrClosedPool,
			context.DeadlineExceeded, // no free connection in time
			&net.DNSError{IsTimeout: true},
			fmt.Errorf("open: %w", &pgconn.ConnectError{}),
			code("57P01"), // an administrator's shutdown
			code("57P02"), // a crash
			code("57P03"), // starting
			code("57014"), // statement timeout
			code("55P03"), // lock timeout
			code("25P03"), // idle in transaction
			code("53300"), // too many connections
			code("53100"), // disk full
			code("08006"), // connection failure
			code("3D000"), // no such database
			code("28P01"), // wrong password
			code("58030"), // I/O error of the server
			code("40001"), // serialization failure, or conflict with a standby's recovery
			code("40P01"), // deadlock
			code("25006"), // read-only transaction
			&pgconn.PgError{Code: "0A000", Routine: "get_relation_info"}, // unlogged on a standby
			fmt.Errorf("keys: %w", code("57P01")),
			sql.ErrTxDone, // the time ended before the commit
		},
		false: {
			nil,
			context.Canceled,
			fmt.Errorf("x: %w", context.Canceled),
			fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, code("23505")),
			code("22P02"), // bad value
			code("42601"), // syntax
			code("0A000"), // feature not supported
			code("55006"), // object in use
			pgx.ErrNoRows,
			gorm.ErrRecordNotFound,
			errors.New("x"),
			os.ErrNotExist,
		},
	} {
		for _, err := range errs {
			require.Equal(t, want, IsUnavailable(err), "%v", err)
		}
	}
}
