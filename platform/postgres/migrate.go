package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// grantsFile is what the serving role may do: a template that is applied after the migrations, each time.
const grantsFile = "grants.sql"

const (
	// migrateLockTimeout lets a migration wait longer than a request may, but not so long that everybody queues behind it.
	migrateLockTimeout = 10 * time.Second
	// grantsLock is an advisory lock's number, from random digits: two instances that grant at once disturb each other.
	grantsLock = 7203650177164903251
)

// Migrate brings the schema of the database at ownerURL up to date with the files of fsys, and gives servingRole what
// fsys's grants.sql says. Several processes may do so at once: one works, the others wait for it.
//
// It fails when the database can't be reached, when a migration fails (the ones before it stay), or when servingRole
// does not exist.
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
	if err := apply(ctx, db, fsys, log); err != nil {
		return fmt.Errorf("migrate: %w", Redact(err))
	}
	if servingRole == config.User {
		log.Warn("the role that serves owns the tables: the database does not keep it from changing the audit log", "role", servingRole)
		return nil
	}
	if err := grant(ctx, db, string(grants), servingRole); err != nil {
		return fmt.Errorf("migrate: grants of the role %q: %w", servingRole, Redact(err))
	}
	return nil
}

// apply runs the migrations that the database does not have yet.
func apply(ctx context.Context, db *sql.DB, fsys fs.FS, log *slog.Logger) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600)) // each second, for ten minutes
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, fsys,
		goose.WithSessionLocker(locker), goose.WithExcludeNames([]string{grantsFile}), goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		results = partial.Applied
		err = fmt.Errorf("%s: %w", partial.Failed.Source.Path, partial.Err)
	}
	for _, r := range results {
		log.Info("migrated", "file", r.Source.Path, "took", r.Duration.Round(time.Millisecond))
	}
	if err != nil {
		return err
	}
	return tellNewer(ctx, provider, log)
}

// tellNewer warns when the database has migrations that this program doesn't know. It is no failure: during an update,
// and after going back from one, an older program runs on a newer schema.
func tellNewer(ctx context.Context, provider *goose.Provider, log *slog.Logger) error {
	has, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	var known int64
	for _, s := range provider.ListSources() {
		known = max(known, s.Version)
	}
	if has > known {
		log.Warn("the database has newer migrations than this program", "database", has, "program", known)
	}
	return nil
}

// rolePlaceholder is :role, and not a part of ::role or :roles.
var rolePlaceholder = regexp.MustCompile(`(^|[^:\w]):role\b`)

// fillGrants puts the quoted role into the template.
func fillGrants(template, role string) string {
	quoted := pgx.Identifier{role}.Sanitize()
	return rolePlaceholder.ReplaceAllStringFunc(template, func(match string) string {
		return strings.TrimSuffix(match, ":role") + quoted
	})
}

// grant applies the template in one transaction: no request sees the role without its rights.
func grant(ctx context.Context, db *sql.DB, template, role string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, `/* postgres.grant */ select pg_advisory_xact_lock($1)`, int64(grantsLock)); err != nil {
		return err
	}
	var there bool
	if err := tx.QueryRowContext(ctx, `/* postgres.grant */ select exists (select from pg_roles where rolname = $1)`, role).Scan(&there); err != nil {
		return err
	}
	if !there {
		return errors.New("there is no such role: create it, or correct the user of the serving URL")
	}
	if _, err := tx.ExecContext(ctx, fillGrants(template, role)); err != nil {
		return err
	}
	return tx.Commit()
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
