package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/sethvargo/go-retry"
)

// versionsTable records the applied migrations. Another program of the database may have goose's
// own.
const versionsTable = "dg_schema_versions"

const (
	// migrateLockTimeout bounds one attempt of a migration to get a lock: later statements queue
	// behind it.
	migrateLockTimeout = 200 * time.Millisecond
	// Between attempts, each of which is a transaction, other statements go on. The holder of the
	// lock may be an export, which reads its plays in one snapshot for up to 30 minutes.
	minLockPause = 100 * time.Millisecond
	maxLockPause = 5 * time.Second
	maxLockWait  = 10 * time.Minute
)

// Migrate applies the migrations of fsys at ownerURL, and its grants to servingRole, under one
// lock. If the schema is newer than fsys, it changes nothing. A migration that needs a lock retries
// for up to ten minutes.
//
// It fails if the database is unreachable or behind a pooler, a migration fails (earlier ones
// stay), or servingRole does not exist.
func Migrate(
	ctx context.Context, ownerURL string, fsys fs.FS, servingRole string, logger *slog.Logger,
) error {
	log := cmp.Or(logger, slog.New(slog.DiscardHandler))
	config, err := parseURL(ownerURL)
	if err != nil {
		return err
	}
	opts := Options{
		Name:                     "dg migrate",
		StatementTimeout:         -1,
		LockTimeout:              migrateLockTimeout,
		IdleInTransactionTimeout: -1,
	}
	if prepareSession(config.ConnConfig, opts) { // the lock of migrations is a session's
		return &SessionError{
			"DG_MIGRATE_DATABASE_URL leads to a pooler in transaction mode", fixUnmarked,
		}
	}
	conn, err := Connect(ctx, ownerURL, opts)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	_ = conn.Close(ctx)
	db := stdlib.OpenDB(*config.ConnConfig)
	defer db.Close()
	err = locked(ctx, db, func() error {
		current, err := apply(ctx, db, fsys, log)
		if err != nil || !current || servingRole == config.ConnConfig.User {
			return err
		}
		if err := grant(ctx, db, fsys, servingRole); err != nil {
			return fmt.Errorf("grants of the role %q: %w", servingRole, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("migrate: %w", Redact(err))
	}
	return nil
}

// locked runs work under goose's own lock.
func locked(ctx context.Context, db *sql.DB, work func() error) error {
	// an attempt each second, for ten minutes
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	err = work()
	return errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn))
}

// apply runs the missing migrations and reports whether the schema is that of fsys. During an
// update, and after going back, an older program runs on a newer schema.
func apply(
	ctx context.Context, db *sql.DB, fsys fs.FS, log *slog.Logger,
) (current bool, err error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, fsys,
		goose.WithTableName(versionsTable), goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return false, err
	}
	has, known, err := provider.GetVersions(ctx)
	if err != nil {
		return false, err
	}
	if has > known {
		log.Warn(
			"the database has newer migrations than this program: schema and rights stay as "+
				"they are", "database", has, "program", known,
		)
		return false, nil
	}
	for {
		r, err := applyNext(ctx, provider, log)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		log.Info("migrated", "file", r.Source.Path, "duration", r.Duration.String())
	}
}

// lockNotAvailable is PostgreSQL's code for lock_timeout.
const lockNotAvailable = "55P03"

// applyNext applies one migration, in as many attempts as its locks need.
func applyNext(
	ctx context.Context, provider *goose.Provider, log *slog.Logger,
) (*goose.MigrationResult, error) {
	attempts := retry.WithMaxDuration(maxLockWait,
		retry.WithCappedDuration(maxLockPause, retry.NewExponential(minLockPause)))
	said := false
	return retry.DoValue(ctx, attempts, func(ctx context.Context) (*goose.MigrationResult, error) {
		r, err := provider.UpByOne(ctx)
		partial, failed := errors.AsType[*goose.PartialError](err)
		if !failed {
			return r, err
		}
		file := partial.Failed.Source.Path
		refused, is := errors.AsType[*pgconn.PgError](partial.Err)
		if !is || refused.Code != lockNotAvailable {
			return nil, fmt.Errorf("%s: %w", file, partial.Err)
		}
		if !said {
			log.Info("a migration waits for a lock and retries: another statement, such as an "+
				"export, uses its table", "file", file, "at_most", maxLockWait.String())
		}
		said = true
		return nil, retry.RetryableError(fmt.Errorf("%s: end the statements that use its table, "+
			"then migrate again: %w", file, partial.Err))
	})
}

// RoleOf is the role that a connection URL connects as. It fails if the URL cannot be read.
func RoleOf(url string) (string, error) {
	config, err := parseURL(url)
	if err != nil {
		return "", err
	}
	return config.ConnConfig.User, nil
}
