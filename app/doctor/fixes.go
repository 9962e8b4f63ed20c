package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dg/platform/postgres"
)

// fixes maps database errors to advice. The first match counts. PostgreSQL's routine distinguishes
// errors of the same SQLSTATE, because their texts are localised. {role} and {database} are those
// of the URL, {function} is the one that the error names.
var fixes = []struct {
	matches func(error) bool
	advice  string
}{
	{hasState("08P01"), "if a pooler leads there, set DG_DATABASE_POOLER, and let DG_MIGRATE_DATABASE_URL lead " +
		"to PostgreSQL itself; if it is set, correct what the pooler's error names"},
	{hasState("28000", "InitializeSessionUserId"), "correct the role of the URL, which roles.sh creates, or run " +
		"as a superuser or its creator, unless it is locked on purpose: alter role {role} login"},
	{hasState("28000"), "correct the role of the URL, and let pg_hba.conf admit it from this machine; if it says " +
		"\"no encryption\", drop sslmode=disable from the URL, if \"certificate\", add sslcert=FILE and sslkey=FILE"},
	{hasState("28P01"), "correct the password in the URL, with special characters percent-encoded, or set it in psql " +
		"as a superuser or the role's creator: \\password {role}; if it has expired but is still meant, run there: " +
		"alter role {role} valid until 'infinity'"},
	{hasState("3D000"), "correct the database in the URL: roles.sh creates one"},
	{hasState("3F000"), "run as the owner of the database: create schema public"},
	{hasState("42501", "CheckMyDatabase"), "run as its owner: grant connect on database {database} to {role}"},
	{hasText("failed to connect.*SQLSTATE 42501"), "remove parameters that {role} may not set from the URL"},
	{hasText(`pg_.*SQLSTATE 42501`), "run as a superuser: grant execute on function {function} to public"},
	{hasState("42501"), "run dg migrate, which grants what is missing"},
	{hasState("42P01"), "the database has no schema yet: start dg serve, or run dg migrate"},
	{hasText("SQLSTATE 42P05|SQLSTATE 26000"),
		"set DG_DATABASE_POOLER to transaction: this pooler does not keep prepared statements"},
	{hasText(`datlocprovider.*SQLSTATE 42703|(idle_session_t|check_interval|tcp_user_t|\bjit\b).*SQLSTATE 42704`),
		"PostgreSQL is too old: update it to 15 or later"},
	{hasText("SQLSTATE 42(704|601)"), "remove the parameter, which PostgreSQL has not, from the URL"},
	{hasState("22023"), "correct the value of the parameter in the URL"},
	{hasState("53100"), "free some room on the disk of the database"},
	{hasState("XX000", "write_item"), "free some room on the disk of the database"}, // the first session writes a cache
	{hasState("53300", "InitializeSessionUserId"), "somebody set a limit for the role: choose a " +
		"higher one, or run as a superuser or its creator: alter role {role} connection limit -1"},
	{hasState("53300", "CheckMyDatabase"), "somebody set a limit for the database: choose a higher " +
		"one, or run as its owner: alter database {database} connection limit -1"},
	{hasState("53300"), "raise max_connections of PostgreSQL, or lower DG_POOL_REQUESTS"},
	{hasState("55000", "CheckMyDatabase"), "somebody closed the database: if that is over, run as a " +
		"superuser or its owner: alter database {database} allow_connections true"},
	{hasState("55P03"), "wait until what locks a table has ended, such as VACUUM FULL (pg_locks shows it, " +
		"without a pid if prepared), and repeat"},
	{hasText("SQLSTATE 57P0[123]"), "wait until PostgreSQL has started"},
	{hasText("ValidateConnect"), "let the URL name a server that its target_session_attrs admits (by default the " +
		"primary), or promote a standby, as a superuser: select pg_promote()"},
	{hasText("x509: certificate has expired"), "renew the server's certificate, or set the clocks by NTP"},
	{hasText("x509: "), "add sslrootcert=FILE to the URL, with the certificate of the " +
		"server's authority, and use a host name that the server's certificate has"},
	{hasText("invalid body length|unknown message type|like a TLS handshake|(unexpected|failed:) EOF|reset by peer"),
		"correct the port of the URL: what answers there is not PostgreSQL, or too old for sslnegotiation=direct"},
	{hasText("server refused TLS connection"), "set ssl = on in postgresql.conf, or correct the port; a server on " +
		"this machine may be reached through the folder of its socket (host=) instead"},
	{hasCause(syscall.ECONNREFUSED), "start PostgreSQL there, or correct host and port of the URL"},
	{hasCause(os.ErrNotExist), "start PostgreSQL there, or correct the folder of its socket in the URL"},
	{hasCause(os.ErrPermission), "run dg as a user who may enter the folder of the socket, or use TCP"},
	{hasText("lookup .*: "), "correct the host of the URL"},
	{isUnreachable, "let the network pass connections to it, or correct host and port of the URL"},
	{hasCause(syscall.ENETUNREACH), "this machine has no route to that address: give it IPv6, or use a host with IPv4"},
}

func hasState(code string, routine ...string) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*pgconn.PgError](err)
		return ok && e.Code == code && (routine == nil || e.Routine == routine[0])
	}
}

func hasCause(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func hasText(pattern string) func(error) bool {
	compiled := regexp.MustCompile("(?s)" + pattern)
	return func(err error) bool { return compiled.MatchString(err.Error()) }
}

func isUnreachable(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout() || errors.Is(err, syscall.EHOSTUNREACH)
}

// explain adds the advice of fixes to an error of the database.
func explain(err error) error {
	connectErr, isConnectErr := errors.AsType[*pgconn.ConnectError](err)
	_, answered := errors.AsType[*pgconn.PgError](err)
	if _, isOpenErr := errors.AsType[postgres.ConnectError](err); !answered && !isConnectErr && !isOpenErr {
		return err
	}
	for _, fix := range fixes {
		if !fix.matches(err) {
			continue
		}
		function := regexp.MustCompile(`pg_\w+`).FindString(err.Error())
		advice := strings.ReplaceAll(fix.advice, "{function}", function)
		if isConnectErr {
			c := connectErr.Config // without a database, PostgreSQL chooses the one with the role's name
			advice = strings.NewReplacer("{role}", pgx.Identifier{c.User}.Sanitize(),
				"{database}", pgx.Identifier{cmp.Or(c.Database, c.User)}.Sanitize()).Replace(advice)
		}
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}
