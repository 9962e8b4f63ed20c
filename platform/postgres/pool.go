package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// The bounds that a session has when Options does not say otherwise (decisions, "Data").
const (
	defaultStatementTimeout         = 30 * time.Second
	defaultLockTimeout              = 2 * time.Second
	defaultIdleInTransactionTimeout = 10 * time.Second
)

// connectTimeout bounds one attempt to connect, and Open as a whole: a start must not hang on a host that drops packets.
const connectTimeout = 10 * time.Second

// Options say what a pool is for. A zero timeout takes the default, a negative one means no bound.
type Options struct {
	Name                     string // application_name: tells the pools apart in pg_stat_activity
	MaxConns                 int32  // 0: what pgx takes, four or one for each processor
	StatementTimeout         time.Duration
	LockTimeout              time.Duration
	IdleInTransactionTimeout time.Duration
	Logger                   *slog.Logger // nil: nothing is logged
}

// DB is one pool with two ways in: Pool for hot queries and streams, Gorm for everything else.
// Both take their connections from the same pool, so MaxConns bounds them together.
type DB struct {
	Pool *pgxpool.Pool
	Gorm *gorm.DB

	sql *sql.DB
}

// Open connects to the database at url and proves with one round trip that it answers.
//
// It fails when the URL can't be read, when it asks for results as text, or when the database can't be reached; no error
// shows a password.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errBadURL // the parser's own text may quote a part of the password
	}
	if opts.MaxConns > 0 {
		config.MaxConns = opts.MaxConns
		config.MinConns = min(config.MinConns, opts.MaxConns)
	}
	if err := checkExecMode(config.ConnConfig); err != nil {
		return nil, err
	}
	prepareSession(config.ConnConfig, opts)
	config.AfterConnect = readTimesAsUTC

	var pool *pgxpool.Pool
	pingIdle(config, func() *pgxpool.Pool { return pool }, opts)
	pool, err = pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database pool: %w", Redact(err))
	}
	pingCtx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := pool.Ping(pingCtx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("the database does not answer: %w", Redact(err))
	}
	return over(pool, opts)
}

// over puts gorm on top of the pool.
func over(pool *pgxpool.Pool, opts Options) (*DB, error) {
	conn := stdlib.OpenDBFromPool(pool)
	g, err := gorm.Open(gormpostgres.New(gormpostgres.Config{Conn: conn}), &gorm.Config{
		SkipDefaultTransaction: true,  // a single statement is a transaction already
		PrepareStmt:            false, // pgx keeps prepared statements for each connection
		TranslateError:         true,
		DisableAutomaticPing:   true, // Open has just done it
		Logger:                 newStatementLog(opts.Logger),
	})
	if err != nil {
		_ = conn.Close()
		pool.Close()
		return nil, fmt.Errorf("open gorm over the pool: %w", Redact(err))
	}
	return &DB{Pool: pool, Gorm: g, sql: conn}, nil
}

// Close returns when every connection has been given back and closed, or after closeTimeout.
func (db *DB) Close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = db.sql.Close() // holds no connection of its own between statements
		db.Pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
}

// prepareSession sets what each session must have, whatever the server, the role or the URL say.
func prepareSession(config *pgx.ConnConfig, opts Options) {
	if config.ConnectTimeout == 0 || config.ConnectTimeout > connectTimeout {
		config.ConnectTimeout = connectTimeout
	}
	config.DialFunc = dial
	maps.Copy(config.RuntimeParams, livenessParams())
	maps.Copy(config.RuntimeParams, map[string]string{
		"application_name": cmp.Or(opts.Name, config.RuntimeParams["application_name"], "dg"),
		"timezone":         "UTC",
		"datestyle":        "ISO, YMD",
		"client_encoding":  "UTF8",
		// The triggers on the plays refuse other levels (performance, "A segment"); a server may have another default.
		"default_transaction_isolation": "read committed",
		"default_transaction_read_only": "off",
		// A wrong row estimate makes the compiler cost a second for a query of milliseconds.
		"jit": "off",

		"statement_timeout":                   milliseconds(opts.StatementTimeout, defaultStatementTimeout),
		"lock_timeout":                        milliseconds(opts.LockTimeout, defaultLockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(opts.IdleInTransactionTimeout, defaultIdleInTransactionTimeout),
	})
}

// milliseconds is a timeout as PostgreSQL takes it, where 0 means no bound.
func milliseconds(d, byDefault time.Duration) string {
	switch {
	case d < 0:
		return "0"
	case d == 0:
		d = byDefault
	}
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10)
}

// readTimesAsUTC makes every timestamp that is read a UTC one; pgx gives the zone of this machine otherwise.
func readTimesAsUTC(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name:  "timestamptz",
		OID:   pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}
