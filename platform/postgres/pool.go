package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"go.opentelemetry.io/otel/trace"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"dg/platform/postgres/tenant"
)

// Options configure a pool. A zero timeout means the default, a negative one no timeout.
type Options struct {
	Name             string // application_name, which distinguishes the pools in pg_stat_activity
	MaxConns         int32  // the URL's pool_max_conns, or pgx's default, if 0
	StatementTimeout time.Duration
	LockTimeout      time.Duration
	Logger           *slog.Logger // logs failures of replicas; may be nil
	Tracer           trace.Tracer // statements are not traced if nil

	lazy bool // Open does not connect, because a replica may be down
}

// DB is one pool with the interfaces of pgx and gorm. MaxConns bounds both together.
type DB struct {
	Pool *pgxpool.Pool
	Gorm *gorm.DB

	sql         *sql.DB
	replicas    []*Replica // standbys that take this pool's reads
	nextReplica atomic.Uint32
	hasReplicas bool // whether another pool of the program has replicas
}

// Open connects within openTimeout. It fails if the session lacks one of dg's settings
// (*SessionError). No error shows a password.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	config, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if opts.MaxConns > 0 {
		config.MaxConns = opts.MaxConns
		config.MinConns = min(config.MinConns, opts.MaxConns)
	}
	behindPooler := prepareSession(config.ConnConfig, opts)
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name:  "timestamptz",
			OID:   pgtype.TimestamptzOID,
			Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		// the pool sets no deadline, and a silent connection would keep its slot
		ctx, cancel := context.WithTimeout(ctx, conn.Config().ConnectTimeout)
		defer cancel()
		return checkSession(ctx, conn, behindPooler)
	}
	if opts.Tracer != nil {
		config.ConnConfig.Tracer = statementTracer{opts.Tracer, opts.Name}
	}
	config.PingTimeout = pingTimeout // bounds the ping of a connection that was idle for a second
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database pool: %w", err)
	}
	if !opts.lazy {
		pingCtx, cancel := context.WithTimeout(ctx, openTimeout)
		defer cancel()
		if err := pool.Ping(pingCtx); err != nil {
			pool.Close()
			return nil, explainConnectError(pool, err)
		}
	}
	return withGorm(pool)
}

// withGorm opens gorm over the pool, or closes the pool if that fails.
func withGorm(pool *pgxpool.Pool) (*DB, error) {
	sqlDB := stdlib.OpenDBFromPool(pool)
	gormDB, err := gorm.Open(gormpostgres.New(gormpostgres.Config{Conn: sqlDB}), &gorm.Config{
		SkipDefaultTransaction: true,  // a single statement is a transaction by itself
		PrepareStmt:            false, // pgx keeps prepared statements for each connection
		// never "select *": a new column would break prepared statements
		QueryFields:          true,
		TranslateError:       true,
		DisableAutomaticPing: true,           // Open pings, unless the pool is lazy
		Logger:               logger.Discard, // callers log the errors; gorm would print values
	})
	if err == nil {
		err = tenant.Guard(gormDB)
	}
	if err != nil {
		_ = sqlDB.Close()
		pool.Close()
		return nil, fmt.Errorf("open gorm over the pool: %w", err)
	}
	return &DB{Pool: pool, Gorm: gormDB, sql: sqlDB}, nil
}

// closeTimeout bounds Close: with a silent server pgx takes 15 s to close a connection.
const closeTimeout = 3 * time.Second

// Close waits until every connection is released and closed, at most closeTimeout.
func (db *DB) Close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = db.sql.Close() // closes nothing: database/sql keeps no idle connection
		db.Pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
}
