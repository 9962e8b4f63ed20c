package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// These bounds apply to a session by default (rules.md, Bounds).
const (
	statementTimeout         = 30 * time.Second
	lockTimeout              = 2 * time.Second
	idleInTransactionTimeout = 10 * time.Second
)

const (
	// connectTimeout bounds the connect to each address of the host, if the URL names only one.
	connectTimeout = 10 * time.Second
	// openTimeout bounds Open: a start must not hang on a host that drops packets. It suffices for two
	// addresses of a host, of which the first may be silent.
	openTimeout = 2*connectTimeout + time.Second
	// hostTimeout bounds checks of replicas, and the connect to each host of a URL with several.
	hostTimeout = 2 * time.Second
	// pingTimeout bounds the ping before an idle connection is used.
	pingTimeout = time.Second
)

// prepareSession sets sessionParams, or behind a pooler leaves them to the role (roles.sh).
func prepareSession(config *pgx.ConnConfig, opts Options) (behindPooler bool) {
	prepareHosts(&config.Config, opts)
	inherited := config.OnPgError
	config.OnPgError = func(conn *pgconn.PgConn, e *pgconn.PgError) bool {
		return !isConnectionError(e) && inherited(conn, e) // false closes conn: a new one may succeed
	}
	// overrides the URL: reports read binary results, which simple_protocol and exec lack
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	mode, behindPooler := config.RuntimeParams[poolerParam]
	maps.Copy(config.RuntimeParams, map[string]string{
		"application_name":            cmp.Or(opts.Name, config.RuntimeParams["application_name"], "dg"),
		"timezone":                    "UTC",
		"datestyle":                   "ISO, YMD",
		"client_encoding":             "UTF8",
		"standard_conforming_strings": "on", // the simple protocol of checkSession requires it
	})
	if behindPooler {
		delete(config.RuntimeParams, poolerParam)
		if mode != poolerPrepared { // the pooler keeps no named statements
			config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		return true
	}
	maps.Copy(config.RuntimeParams, sessionParams(opts))
	return false
}

// prepareHosts makes pgx skip hosts that refuse writes if a URL names several: a former primary may
// be a standby now. It leaves replicas' URLs, and those that set target_session_attrs, as they are.
func prepareHosts(config *pgconn.Config, opts Options) {
	timeout := connectTimeout
	if slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.Host != config.Host || f.Port != config.Port // sslmode=prefer lists each host twice
	}) {
		timeout = hostTimeout
		if config.ValidateConnect == nil && !opts.lazy {
			config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
		}
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > timeout {
		config.ConnectTimeout = timeout
	}
}

// sessionParams returns the session settings as startup parameters, some of which poolers refuse.
func sessionParams(opts Options) map[string]string {
	return map[string]string{
		// The triggers on plays refuse other isolation levels, and the server's default may differ.
		"default_transaction_isolation": "read committed",
		"default_transaction_read_only": "off",
		// A role's default may name another schema, or one before public.
		"search_path": "public",
		// After a wrong row estimate, JIT may take a second for a query of milliseconds.
		"jit": "off",

		"statement_timeout":                   milliseconds(cmp.Or(opts.StatementTimeout, statementTimeout)),
		"lock_timeout":                        milliseconds(cmp.Or(opts.LockTimeout, lockTimeout)),
		"idle_in_transaction_session_timeout": milliseconds(idleInTransactionTimeout),
		// Ending a migrator's idle session would release its lock: two migrators could run.
		"idle_session_timeout": "0",

		// Keepalives release the locks of a silently dead client within half a minute.
		"tcp_keepalives_idle":              "15",
		"tcp_keepalives_interval":          "5",
		"tcp_keepalives_count":             "3",
		"tcp_user_timeout":                 "30000",
		"client_connection_check_interval": "5000",
	}
}

// milliseconds formats a timeout for PostgreSQL, where 0 means none. A negative timeout becomes 0.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 0), 10) }

// errBadURL quotes nothing of the URL: the fault is often inside the password.
var errBadURL = errors.New("the database URL cannot be read: it must look like " +
	"postgres://user:password@host:5432/database, with special characters of the password " +
	"percent-encoded")

// singleAtPattern matches a URL whose only unescaped @ ends the password, or a URL without a user.
// With several @, pgx ends the password at the first. Its errors would then quote the rest of the
// password as a host or database.
var singleAtPattern = regexp.MustCompile(`(?s)^\w+://(([^/@]*@)?[^@]*|[^/@?]*/[^@?]*\?.*)$`)

// parseURL parses a URL. Its errors do not quote the URL, which may have a password.
func parseURL(url string) (*pgxpool.Config, error) {
	if !singleAtPattern.MatchString(url) {
		return nil, errBadURL
	}
	config, err := pgxpool.ParseConfig(url)
	parseErr, ok := errors.AsType[*pgconn.ParseConfigError](err)
	if !ok {
		return config, err
	}
	unquoted := *parseErr
	unquoted.ConnString = "postgres://…"
	if strings.Contains(unquoted.Error(), "failed to parse as URL") { // its cause quotes parts of the URL
		return nil, errBadURL
	}
	return nil, fmt.Errorf("the database URL cannot be read: %w", &unquoted)
}
