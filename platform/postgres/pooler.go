package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// poolerParam marks a pooler's URL. dg does not send it to the server.
const (
	poolerParam    = "pooler"
	poolerPrepared = "prepared"
)

// ThroughPooler adds pooler=mode to a URL, which marks it as a transaction pooler's.
func ThroughPooler(url, mode string) string {
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	return url + separator + poolerParam + "=" + mode
}

// SessionError reports that a session lacks what dg relies on, and how to fix it.
type SessionError struct{ Problem, Fix string }

func (e *SessionError) Error() string { return e.Problem + ": " + e.Fix }

const (
	fixUnmarked = "set DG_DATABASE_POOLER for DG_DATABASE_URL, end a replica's URL in " +
		"?pooler=transaction, and let DG_MIGRATE_DATABASE_URL lead to PostgreSQL itself"
	fixRole = "have a superuser or the role's creator run the statements of roles.sh that set them for the " +
		"role, then RECONNECT in the pooler's console"
)

// explainConnectError adds the server's address, which the error of an ended context lacks.
func explainConnectError(pool *pgxpool.Pool, err error) error {
	if sessionErr, ok := errors.AsType[*SessionError](err); ok {
		return sessionErr
	}
	if _, answered := errors.AsType[*pgconn.PgError](err); answered { // a wrong password, for example
		return ConnectError{"the database refuses the connection", err}
	}
	if _, isNamed := errors.AsType[*pgconn.ConnectError](err); !isNamed {
		c := pool.Config().ConnConfig
		_, address := pgconn.NetworkAddress(c.Host, c.Port)
		err = fmt.Errorf("%s: %w", address, err)
	}
	return ConnectError{"the database does not answer", err}
}

// ConnectError is an error of Open or Replica.Check. It shows equal failures once, because pgx
// tries an address with and without TLS.
type ConnectError struct {
	problem string
	error
}

func (e ConnectError) Unwrap() error { return e.error }

func (e ConnectError) Error() string {
	attempts := strings.Split(e.error.Error(), "\n\t")
	return e.problem + ": " + strings.Join(slices.Compact(attempts), "; ")
}

// checkSession returns a *SessionError if triggers are off, or if the session lacks settings that a
// pooler may drop. Where dg sets a timeout, any other than 0 (none) suffices. Without a pooler it
// turns off transaction_timeout, which PostgreSQL before 17 refuses as a startup parameter.
func checkSession(ctx context.Context, conn *pgx.Conn, behindPooler bool) error {
	want := conn.Config().RuntimeParams
	fix := fixUnmarked
	if behindPooler {
		want = sessionParams(Options{})
		fix = fixRole
	}
	var names, values []string
	if err := conn.QueryRow(ctx,
		`/* postgres.session */ select array_agg(name order by name), array_agg(setting order by name)
		from pg_settings where case name when 'transaction_timeout' then
		    case when $1 then setting else set_config(name, '0', false) end <> '0'
		  when 'session_replication_role' then setting = 'replica'
		  else name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
		    'default_transaction_isolation', 'search_path') end`,
		pgx.QueryExecModeSimpleProtocol, behindPooler).
		Scan(&names, &values); err != nil {
		return err
	}
	for i, name := range names {
		if name == "session_replication_role" {
			fix = "reset it, because it turns off triggers, for server, database and roles, then RECONNECT a pooler"
		}
		bounded := strings.HasSuffix(name, "_timeout") && values[i] != "0" && cmp.Or(want[name], "0") != "0"
		if values[i] != want[name] && !bounded {
			return &SessionError{
				fmt.Sprintf("the database's sessions lack dg's settings (%s is %s)", name, values[i]),
				fix,
			}
		}
	}
	return nil
}
