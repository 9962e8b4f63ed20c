package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// The failures after which a retry may succeed, unlike those of wrong statements: SQLSTATEs by
// class and code, and errors of the connection.
var (
	unavailableClasses = []string{
		"08", // connection exception
		"28", // authentication: the database cannot be used until the credentials change
		"53", // insufficient resources: disk, memory, connections
		"57", // shutdown, crash, still starting, statement_timeout, cancelled by an administrator
		"58", // the server's system: I/O error, missing file
	}
	unavailableCodes = []string{
		"55P03", // lock_timeout
		"25P03", // idle_in_transaction_session_timeout
		"3D000", // the database does not exist (yet)
		"40001", // conflict with recovery on a standby
	}
	unavailableErrors = []error{
		context.DeadlineExceeded, // most often the wait for a free connection
		pgconn.ErrConnClosed, puddle.ErrClosedPool, sql.ErrConnDone,
		driver.ErrBadConn,
		sql.ErrTxDone, // the transaction's context ended before the commit
		io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
	}
)

// IsDatabaseError reports whether err comes from the database or the connection, not from the
// caller's handling of rows.
func IsDatabaseError(err error) bool {
	_, refused := errors.AsType[*pgconn.PgError](err)
	return refused || IsUnavailable(err)
}

// IsUnavailable reports whether err is a temporary failure of the database, for which callers
// respond 503. Errors of the statement or its data do not count, nor does context.Canceled.
func IsUnavailable(err error) bool {
	if err == nil {
		return false
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains(unavailableCodes, e.Code) || onStandby(e) ||
			slices.ContainsFunc(unavailableClasses, func(class string) bool {
				return strings.HasPrefix(e.Code, class)
			})
	}
	if errors.Is(err, context.Canceled) {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return true
	}
	return pgconn.Timeout(err) ||
		slices.ContainsFunc(unavailableErrors, func(target error) bool {
			return errors.Is(err, target)
		})
}

// onStandby reports whether the server refused because it is a standby: a write (25006), or a read
// of an unlogged table. The SQLSTATE of the latter has other, permanent causes, and its text is
// localised: the routine tells it apart.
func onStandby(e *pgconn.PgError) bool {
	return e.Code == "25006" || e.Code == "0A000" && e.Routine == "get_relation_info"
}
