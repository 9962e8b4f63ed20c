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
	"gorm.io/gorm"

	"dg/platform/apperr"
)

// A retry may succeed after these failures: SQLSTATEs by class or code, and connection errors.
var (
	unavailableStates = []string{
		"08",    // connection exception
		"28",    // invalid authorization: a password in rotation, or a fault of pg_hba.conf
		"53",    // insufficient resources: disk, memory, connections
		"57",    // shutdown, crash, startup, statement_timeout, cancelled by an administrator
		"58",    // system error of the server: I/O error, missing file
		"55P03", // lock_timeout
		"25P03", // idle_in_transaction_session_timeout
		"3D000", // the database does not exist (yet)
		"40001", // serialization failure; on a standby a conflict with recovery
		"40P01", // deadlock
	}
	unavailableErrors = []error{
		pgconn.ErrConnClosed, puddle.ErrClosedPool, sql.ErrConnDone, driver.ErrBadConn,
		sql.ErrTxDone, // the transaction's context ended before its commit
		io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
	}
)

// IsDatabaseError reports whether err comes from the database or its connection, or is a timeout.
func IsDatabaseError(err error) bool {
	_, refused := errors.AsType[*pgconn.PgError](err)
	return refused || IsUnavailable(err)
}

// IsUnavailable reports whether err is a failure of the database after which a retry may succeed.
// Errors of the statement or its data do not count, nor does context.Canceled.
func IsUnavailable(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isConnectionError(e) ||
			slices.ContainsFunc(unavailableStates, func(state string) bool { return strings.HasPrefix(e.Code, state) })
	}
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	_, lacksSettings := errors.AsType[*SessionError](err)
	e, ok := errors.AsType[net.Error](err) // context.DeadlineExceeded is a net.Error
	is := func(target error) bool { return errors.Is(err, target) }
	return !is(context.Canceled) &&
		(unconnected || lacksSettings || ok && e.Timeout() || slices.ContainsFunc(unavailableErrors, is))
}

// OrMissing returns missing if gorm found no row. It prefixes any other error with what failed.
func OrMissing(err error, what string, missing error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return missing
	}
	return apperr.Annotate(err, what)
}

// HadNoEffect reports whether the statement that failed with err certainly changed nothing: it was
// not sent, or the server ended the connection and rolled it back.
func HadNoEffect(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	return unconnected || pgconn.SafeToRetry(err) || ok && slices.Contains(terminationStates, e.Code)
}

// These are admin_shutdown, crash_shutdown, cannot_connect_now and idle_session_timeout.
var terminationStates = []string{"57P01", "57P02", "57P03", "57P05"}

// isConnectionError reports whether a new connection may help: a standby refused a write (25006) or
// a read of an unlogged table, or a prepared statement's column has changed its type. The last two
// share 0A000 with permanent errors. Only the routine distinguishes them: messages are localised.
func isConnectionError(e *pgconn.PgError) bool {
	return e.Code == "25006" ||
		e.Code == "0A000" && (e.Routine == "get_relation_info" || e.Routine == "RevalidateCachedQuery")
}
