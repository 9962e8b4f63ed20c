package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The URL parameter for a pooler in transaction mode. It is not sent to the server.
const (
	poolerParam       = "pooler"
	poolerTransaction = "transaction"
)

// ThroughPooler adds pooler=transaction to a connection URL.
func ThroughPooler(url string) string {
	before := "?"
	switch {
	case !strings.Contains(url, "://"):
		before = " "
	case strings.Contains(url, "?"):
		before = "&"
	}
	return url + before + poolerParam + "=" + poolerTransaction
}

// Under load two connections through a pooler may get the same session of the server, which hides
// the pooler. So the probe is repeated.
const (
	probes       = 5
	probeTimeout = 2 * time.Second
)

// PoolerError is an unsuitable pooler before the database, with its fix.
type PoolerError struct{ Problem, Fix string }

func (e *PoolerError) Error() string { return e.Problem + ": " + e.Fix }

const fixUnmarked = "set DG_DATABASE_POOLER=transaction for DG_DATABASE_URL, end a replica's URL " +
	"in ?pooler=transaction, and let DG_MIGRATE_DATABASE_URL lead to PostgreSQL itself"

// checkPool checks that the database answers and that the pool's sessions are what dg needs.
func checkPool(ctx context.Context, pool *pgxpool.Pool, pooled bool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return unreachable(err)
	}
	defer conn.Release()
	return checkSession(ctx, conn.Conn(), pooled)
}

// unreachable is the error of a failed attempt to connect.
func unreachable(err error) error {
	if refused, is := errors.AsType[*pgconn.PgError](err); is &&
		strings.Contains(refused.Message, "startup parameter") {
		return &PoolerError{
			"a pooler before the database refuses dg's session settings (" + refused.Message + ")",
			fixUnmarked,
		}
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	if _, answered := errors.AsType[*pgconn.PgError](err); connecting && answered {
		// a wrong password, for example
		return fmt.Errorf("the database refuses the connection: %w", Redact(err))
	}
	return fmt.Errorf("the database does not answer: %w", Redact(err))
}

// checkSession detects a pooler that is unsuitable or not announced in the URL. Errors:
// *PoolerError.
func checkSession(ctx context.Context, conn *pgx.Conn, pooled bool) error {
	config := conn.Config()
	want := sessionParams(Options{})
	if !pooled {
		want = config.RuntimeParams
	}
	pid, got, err := readSession(ctx, conn)
	if err != nil {
		return unreachable(err)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		switch {
		case got[name] == want[name],
			got[name] != "0" && want[name] != "0" && strings.HasSuffix(name, "_timeout"):
		case !pooled:
			return &PoolerError{
				fmt.Sprintf("a pooler drops dg's session settings (%s is %s)", name, got[name]),
				fixUnmarked,
			}
		default:
			return &PoolerError{fmt.Sprintf("%s is %s in the pooler's sessions", name, got[name]),
				fmt.Sprintf("have a superuser run alter role %s set %s = '%s', then RECONNECT in the pooler's console",
					pgx.Identifier{config.User}.Sanitize(), name, want[name])}
		}
	}
	if pooled || pid == conn.PgConn().PID() {
		return nil
	}
	shared, err := sharesSessions(ctx, conn, pgx.QueryExecModeSimpleProtocol)
	if err == nil && shared {
		err = &PoolerError{
			"a pooler gives the statements of one connection to several sessions, and prepared " +
				"statements and locks are lost", fixUnmarked,
		}
	}
	return err
}

// CheckSession refuses an unsuitable pooler. It ends a session that predates the replay of the
// role's settings; the next check opens another.
func (db *DB) CheckSession(ctx context.Context, conn *pgx.Conn) error {
	err := checkSession(ctx, conn, db.pooled)
	if err != nil && db.pooled {
		_, _ = conn.Exec(ctx,
			`/* postgres.endSession */ select pg_terminate_backend(pg_backend_pid())`)
	}
	return err
}

// readSession returns the backend's PID and the settings that dg relies on: timeouts, the isolation
// of writes and the schema.
func readSession(
	ctx context.Context, conn *pgx.Conn,
) (pid uint32, settings map[string]string, err error) {
	var names, values []string
	err = conn.QueryRow(ctx,
		`/* postgres.session */ select pg_backend_pid(), array_agg(name), array_agg(setting) from pg_settings
		where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
		  'default_transaction_isolation', 'search_path')`,
		pgx.QueryExecModeSimpleProtocol).
		Scan(&pid, &names, &values)
	settings = map[string]string{}
	for i, name := range names {
		settings[name] = values[i]
	}
	return pid, settings, err
}

// KeepsPrepared reports whether the pooler keeps prepared statements, as PgBouncer does from 1.21
// on: one prepared in a session runs in another. In doubt it does not.
func KeepsPrepared(ctx context.Context, config *pgx.ConnConfig) bool {
	ctx, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for range probes {
		moved, err := sharesSessions(ctx, conn, pgx.QueryExecModeCacheStatement)
		if moved || err != nil {
			return err == nil
		}
	}
	return false
}

// sharesSessions detects transaction pooling: a connection moves to another session while a second
// connection holds the first one in a transaction. The statements of the first run in the mode.
func sharesSessions(ctx context.Context, first *pgx.Conn, mode pgx.QueryExecMode) (bool, error) {
	// A unique text: an earlier probe may have prepared the same text in the other session.
	session := fmt.Sprintf(`/* postgres.pooler %s */ select pg_backend_pid()`, rand.Text())
	second, err := pgx.ConnectConfig(ctx, first.Config())
	if err != nil {
		return false, unreachable(err)
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	var before, after int
	if err := first.QueryRow(ctx, session, mode).Scan(&before); err != nil {
		return false, unreachable(err)
	}
	if _, err := second.Exec(ctx, "begin; "+session, pgx.QueryExecModeSimpleProtocol); err != nil {
		return false, unreachable(err)
	}
	if err := first.QueryRow(ctx, session, mode).Scan(&after); err != nil {
		return false, unreachable(err)
	}
	return before != after, nil
}

// Connect opens one connection with the session settings and checks of Open.
func Connect(ctx context.Context, url string, opts Options) (*pgx.Conn, error) {
	config, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	pooled := prepareSession(config.ConnConfig, opts)
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, unreachable(err)
	}
	if err := checkSession(ctx, conn, pooled); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}

// roleDefaultsLock serialises changes of a role: PostgreSQL refuses concurrent ones.
const roleDefaultsLock = 0x6467_726f_6c65 // "dgrole", an advisory lock

// SetRoleDefaults stores the session settings as defaults of the URL's role in its database,
// because a pooler in transaction mode drops startup parameters. If the role may not do so, the log
// has the statements to run. A change terminates the role's idle sessions.
func SetRoleDefaults(ctx context.Context, url string, log *slog.Logger) error {
	config, err := parseURL(url)
	if err != nil {
		return err
	}
	prepareSession(config.ConnConfig, Options{Name: "dg migrate"})
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var statements []string
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if statements, err = missingDefaults(ctx, tx); err != nil || len(statements) == 0 {
			return err
		}
		_, err := tx.Exec(ctx, strings.Join(statements, ";"))
		return err
	})
	if refused, is := errors.AsType[*pgconn.PgError](err); is && len(statements) > 0 &&
		!Unavailable(refused) {
		log.Warn("the serving role's settings could not be changed: have a superuser run the "+
			"statements, then RECONNECT in the pooler's console",
			"error", refused, "statements", strings.Join(statements, "; "))
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings of the serving role: %w", Redact(err))
	}
	if len(statements) > 0 {
		log.Info(
			"the serving role has dg's session settings: its idle sessions end and begin again "+
				"with them", "role", config.ConnConfig.User,
		)
		_, _ = conn.Exec(ctx,
			`/* postgres.roleDefaults */ select pg_terminate_backend(pid) from pg_stat_activity
			where usename = current_user and datname = current_database() and (state = 'idle'
			  or pid = pg_backend_pid())`)
	}
	return nil
}

// missingDefaults returns the statements that set the role's missing defaults.
func missingDefaults(ctx context.Context, tx pgx.Tx) (statements []string, err error) {
	if _, err := tx.Exec(ctx, `/* postgres.roleDefaults */ select pg_advisory_xact_lock($1)`,
		int64(roleDefaultsLock)); err != nil {
		return nil, err
	}
	var role, database string
	var has []string
	err = tx.QueryRow(ctx,
		`/* postgres.roleDefaults */ select current_user, current_database(),
			coalesce((select setconfig from pg_db_role_setting
		where setrole = current_user::regrole and setdatabase = (select oid from pg_database
		  where datname = current_database())), '{}')`).
		Scan(&role, &database, &has)
	if err != nil {
		return nil, err
	}
	params := sessionParams(Options{})
	maps.Copy(params, livenessParams())
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(has, name+"="+params[name]) {
			statements = append(statements,
				fmt.Sprintf("alter role %s in database %s set %s = '%s'",
					pgx.Identifier{role}.Sanitize(), pgx.Identifier{database}.Sanitize(), name,
					params[name]))
		}
	}
	return statements, nil
}
