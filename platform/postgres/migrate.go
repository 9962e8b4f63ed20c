package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"dg/platform/apperr"
)

// versionsTable is not goose's default, which may belong to another program in the same database.
const versionsTable = "dg_schema_versions"

// Migrate applies the migrations of fsys, grants servingRole its rights and calls the functions in
// then, all under one lock, for which it waits up to ten minutes. It changes nothing if the schema
// is newer than fsys. If a migration fails, earlier ones stay applied. A pooler's URL is an error.
func Migrate(
	ctx context.Context, ownerURL string, fsys fs.FS, servingRole string, logger *slog.Logger,
	then ...func(context.Context, *DB) error,
) error {
	log := cmp.Or(logger, slog.New(slog.DiscardHandler))
	if strings.Contains(ownerURL, poolerParam+"=") {
		return &SessionError{"DG_MIGRATE_DATABASE_URL leads to a pooler in transaction mode", fixUnmarked}
	}
	db, err := Open(ctx, ownerURL, Options{
		Name:             "dg migrate",
		MaxConns:         2, // one holds the lock, the other migrates
		StatementTimeout: -1,
	})
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer db.Close()
	err = withLock(ctx, db.sql, log, func() error {
		current, err := applyMigrations(ctx, db.sql, fsys, log)
		if err != nil || !current {
			return err
		}
		err = applyGrants(ctx, db.Pool, fsys, servingRole)
		err = apperr.Annotate(err, fmt.Sprintf("grants of the role %q", servingRole))
		for i := 0; err == nil && i < len(then); i++ {
			err = then[i](ctx, db)
		}
		return err
	})
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "55P03" {
		err = fmt.Errorf("%w: wait until the dg import or pg_dump that uses the table has ended, and repeat", err)
	}
	return apperr.Annotate(err, "migrate")
}

// withLock runs work under goose's advisory lock, which also covers the grants.
func withLock(ctx context.Context, db *sql.DB, log *slog.Logger, work func() error) error {
	// tries once a second, for ten minutes
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	warning := time.AfterFunc(2*time.Second, func() {
		log.Warn("waiting for the lock of migrations: another process may migrate", "at_most", "10m")
	})
	err = locker.SessionLock(ctx, conn)
	warning.Stop()
	if err != nil {
		return err
	}
	err = work()
	return errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn))
}

// applyMigrations migrates, unless the schema is newer, as in a rolling update or after a rollback
// of dg. In that case current is false.
func applyMigrations(
	ctx context.Context, db *sql.DB, fsys fs.FS, log *slog.Logger,
) (current bool, err error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, fsys,
		goose.WithTableName(versionsTable), goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return false, err
	}
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return false, err
	}
	// goose's own target is the last file by name, but 10 sorts before 9
	newest := int64(0)
	for _, source := range provider.ListSources() {
		newest = max(newest, source.Version)
	}
	if version > newest {
		log.Warn("the database has newer migrations than this program: schema and rights stay as they are",
			"database", version, "program", newest)
		return false, nil
	}
	results, err := provider.Up(ctx)
	partial, failed := errors.AsType[*goose.PartialError](err)
	if failed {
		results = partial.Applied
		err = fmt.Errorf("%s: %w", partial.Failed.Source.Path, partial.Err)
	}
	for _, r := range results {
		log.Info("migrated", "file", r.Source.Path, "duration", r.Duration.String())
	}
	return err == nil, err
}

// RoleOf returns the role that a connection URL connects as. It fails if the URL cannot be read.
func RoleOf(url string) (string, error) {
	config, err := parseURL(url)
	if err != nil {
		return "", err
	}
	return config.ConnConfig.User, nil
}

// applyGrants applies fsys's grants in one transaction: no request sees the role without its
// rights. It skips a role that also migrates: the owner of the tables needs no grants.
func applyGrants(ctx context.Context, pool *pgxpool.Pool, fsys fs.FS, role string) error {
	files, err := fs.Glob(fsys, "grants/*.sql")
	if err != nil {
		return err
	}
	quotedRole := pgx.Identifier{role}.Sanitize()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var isOwner bool
		err := tx.QueryRow(ctx, "/* postgres.grants */ select current_user = $1", role).Scan(&isOwner)
		if err != nil || isOwner {
			return err
		}
		for _, name := range files {
			template, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, strings.ReplaceAll(string(template), ":role", quotedRole)); err != nil {
				return err
			}
		}
		return nil
	})
}
