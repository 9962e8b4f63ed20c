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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

const (
	// migrateLockTimeout is how long one try of a migration waits for a lock: everybody who comes later queues behind it.
	migrateLockTimeout = 200 * time.Millisecond
	// Between the tries, which are transactions of their own, others go on. What holds the lock may be an export: it reads
	// its plays in one snapshot, for up to 30 minutes.
	firstLockPause   = 100 * time.Millisecond
	longestLockPause = 5 * time.Second
	longestLockWait  = 10 * time.Minute
)

// Migrate brings the schema of the database at ownerURL up to date with the files of fsys, and gives servingRole what
// fsys's grants.sql says: both under one lock. Several processes may do so at once: one works, the others wait for it.
//
// Where the schema is newer than fsys, it changes neither schema nor rights: they belong to the newer program.
//
// A migration that needs a lock tries for it briefly and often, for up to ten minutes each, so that requests are answered
// meanwhile.
//
// It fails when the database can't be reached, when a migration fails (the ones before it stay), when servingRole does
// not exist, or when the schema no longer admits a program as old as fsys.
func Migrate(ctx context.Context, ownerURL string, fsys fs.FS, servingRole string, logger *slog.Logger) error {
	log := cmp.Or(logger, slog.New(slog.DiscardHandler))
	grants, err := fs.ReadFile(fsys, grantsFile)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return errBadURL
	}
	prepareSession(config, Options{Name: "dg migrate", StatementTimeout: -1, LockTimeout: migrateLockTimeout, IdleInTransactionTimeout: -1})
	db := stdlib.OpenDB(*config)
	defer db.Close()
	err = locked(ctx, db, func() error {
		current, err := apply(ctx, db, fsys, log)
		if err != nil || !current {
			return err
		}
		if servingRole == config.User {
			log.Warn("the role that serves owns the tables: the database does not keep it from changing the audit log", "role", servingRole)
			return nil
		}
		if err := grant(ctx, db, string(grants), servingRole, log); err != nil {
			return fmt.Errorf("grants of the role %q: %w", servingRole, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("migrate: %w", Redact(err))
	}
	return nil
}

// locked does the work while no other process migrates. The lock is goose's own: older programs take it too.
func locked(ctx context.Context, db *sql.DB, work func() error) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600)) // each second, for ten minutes
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

// apply runs the migrations that the database does not have yet, and reports whether the schema is that of fsys. It is
// not where the database has newer ones: during an update, and after going back from one, an older program runs on a
// newer schema.
func apply(ctx context.Context, db *sql.DB, fsys fs.FS, log *slog.Logger) (current bool, err error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, fsys,
		goose.WithExcludeNames([]string{grantsFile}), goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return false, err
	}
	has, known, err := provider.GetVersions(ctx)
	if err != nil {
		return false, err
	}
	if has > known {
		log.Warn("the database has newer migrations than this program: its schema and rights are left alone", "database", has, "program", known)
		return false, checkMinimum(ctx, db, known)
	}
	for {
		r, err := applyNext(ctx, provider, log)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		log.Info("migrated", "file", r.Source.Path, "took", r.Duration.Round(time.Millisecond))
	}
}

// applyNext applies one migration, in as many tries as its locks need.
func applyNext(ctx context.Context, provider *goose.Provider, log *slog.Logger) (*goose.MigrationResult, error) {
	for begin, between := time.Now(), time.Duration(0); ; {
		r, err := provider.UpByOne(ctx)
		partial, failed := errors.AsType[*goose.PartialError](err)
		if !failed {
			return r, err
		}
		err = fmt.Errorf("%s: %w", partial.Failed.Source.Path, partial.Err)
		if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != lockNotAvailable {
			return nil, err
		}
		if between == 0 {
			log.Info("a migration waits for a lock: what works on its table, such as an export, has to end first. It is tried again and again",
				"file", partial.Failed.Source.Path, "at most", longestLockWait)
		}
		if between = nextLockPause(between); time.Since(begin)+between > longestLockWait {
			return nil, fmt.Errorf("gave up waiting for a lock after %s: end what works on the table, then migrate again: %w", longestLockWait, err)
		}
		if err := pause(ctx, between); err != nil {
			return nil, err
		}
	}
}

// lockNotAvailable is PostgreSQL's code for lock_timeout.
const lockNotAvailable = "55P03"

// nextLockPause grows from try to try.
func nextLockPause(last time.Duration) time.Duration {
	return min(max(2*last, firstLockPause), longestLockPause)
}

// checkMinimum refuses a program whose newest migration is below the minimum that the schema records, in the one row of
// the table schema_minimum. A schema without the table admits every program.
func checkMinimum(ctx context.Context, db *sql.DB, known int64) error {
	var recorded bool
	err := db.QueryRowContext(ctx, `/* postgres.minimum */ select to_regclass('schema_minimum') is not null`).Scan(&recorded)
	if err != nil || !recorded {
		return err
	}
	var minimum int64
	if err := db.QueryRowContext(ctx, `/* postgres.minimum */ select coalesce(max(version), 0) from schema_minimum`).Scan(&minimum); err != nil {
		return err
	}
	if known < minimum {
		return fmt.Errorf("the database needs a newer version of dg: its schema admits programs that know migration %d, and the newest one known to this dg is %d", minimum, known)
	}
	return nil
}

// RoleOf is the role that the connection URL connects as.
//
// It fails when the URL can't be read.
func RoleOf(url string) (string, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "", errBadURL
	}
	return config.User, nil
}
