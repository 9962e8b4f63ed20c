package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"dg/migrations"
	"dg/modules/identity"
	"dg/platform/config"
	"dg/platform/postgres"
	"dg/platform/postgres/replica"
)

// reach opens the database as dg does. On a fault db is nil.
func reach(ctx context.Context, s *Subject, setting, url string) (*postgres.DB, []Finding) {
	db, err := postgres.Open(ctx, url,
		postgres.Options{Name: "dg doctor", MaxConns: 2, Logger: s.Log})
	if session, is := errors.AsType[*postgres.SessionError](err); is {
		return nil, []Finding{{"pooler", Failure, session.Problem,
			strings.ToUpper(session.Fix[:1]) + session.Fix[1:] + "."}}
	}
	if err != nil {
		return nil, failed("database", fmt.Errorf("%s: %w", setting, err))
	}
	return db, nil
}

func findDatabase(ctx context.Context, s *Subject) (found []Finding) {
	s.db, found = reach(ctx, s, "DG_DATABASE_URL", s.URL)
	return found
}

const ownerSQL = `/* doctor.owner */
select has_schema_privilege('public', 'create') and not exists (select from pg_class
  where oid = to_regclass('public.organisations') and not pg_has_role(relowner, 'usage'))`

// findOwner checks that dg can migrate, and that both URLs lead to one database.
func findOwner(ctx context.Context, s *Subject) []Finding {
	if s.Embedded() {
		return nil
	}
	setting := "DG_DATABASE_URL"
	if s.MigrateDatabaseURL != "" {
		setting = "DG_MIGRATE_DATABASE_URL"
	}
	db, found := reach(ctx, s, setting, cmp.Or(s.MigrateDatabaseURL, s.DatabaseURL))
	if db == nil {
		return found
	}
	defer db.Close()
	var may bool
	if err := db.Pool.QueryRow(ctx, ownerSQL).Scan(&may); err != nil || !may {
		return []Finding{{"owner", Failure,
			fmt.Sprintf("the role of %s may not create tables, or does not own those of dg", setting),
			"Name the owner of the database in DG_MIGRATE_DATABASE_URL: roles.sh creates one."}}
	}
	if s.db == nil { // the check of the database says why
		return nil
	}
	here, err := nameOf(ctx, db)
	there, failure := nameOf(ctx, s.db)
	if err := errors.Join(err, failure); err != nil {
		return failed("owner", err)
	}
	if here != there {
		return []Finding{{"owner", Failure,
			fmt.Sprintf("%s leads to %s, DG_DATABASE_URL to %s", setting, here, there),
			"Name the same server and database in both."}}
	}
	return nil
}

// nameOf returns a name that is unique among all databases of all servers.
func nameOf(ctx context.Context, db *postgres.DB) (name string, err error) {
	err = db.Pool.QueryRow(ctx, `/* doctor.name */ select format('database %s of system %s',
		current_database(), system_identifier) from pg_control_system()`).Scan(&name)
	return name, err
}

// knownVersion is that of this program's last migration: they are numbered from 1.
func knownVersion() int {
	names, _ := fs.Glob(migrations.FS, "*.sql") // the pattern is right
	return len(names)
}

// named is a row of the table.
func named(name string) check {
	return checks[slices.IndexFunc(checks, func(c check) bool { return c.name == name })]
}

// CheckSchema returns an error unless this program's migrations are applied.
func CheckSchema(ctx context.Context, db *postgres.DB) error {
	for _, f := range named("migrations").run(ctx, &Subject{db: db}) {
		return f.Err()
	}
	return nil
}

// CheckMigrate returns an error unless dg can migrate with the settings.
func CheckMigrate(ctx context.Context, d config.Database, url string) error {
	s := Subject{Serve: config.Serve{Database: d}, URL: url}
	defer s.Close()
	_ = findDatabase(ctx, &s)
	found := findOwner(ctx, &s)
	if s.db != nil {
		found = append(found, named("build").run(ctx, &s)...)
	}
	for _, f := range found {
		return f.Err()
	}
	return nil
}

// findSecrets checks that the keys are those of the database.
func findSecrets(ctx context.Context, s *Subject) []Finding {
	current, previous, err := s.Keys()
	keys, failure := identity.NewKeyring(current, previous)
	if errors.Join(err, failure) != nil {
		return nil // reported with the settings
	}
	err = identity.CheckSecretKey(ctx, s.db, keys)
	switch {
	case errors.Is(err, identity.ErrSecretKey):
		return []Finding{{"secrets", Failure, "the database has another secret key",
			"Set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it. " +
				"If it is lost: dg migrate --forget-secret-key."}}
	case err != nil:
		return failed("secrets", err)
	}
	return nil
}

// findReplicas checks that reports can read from each replica.
func findReplicas(ctx context.Context, s *Subject) (findings []Finding) {
	replicas, err := replica.Open(ctx, s.Replicas(), s.db,
		postgres.Options{Name: "dg doctor", MaxConns: 1})
	if err != nil {
		return []Finding{{"replicas", Failure, err.Error(), "Correct DG_DATABASE_REPLICA_URLS."}}
	}
	defer replicas.Close()
	for _, r := range replicas.All() {
		if err := r.Check(ctx); err != nil {
			findings = append(findings, Finding{fmt.Sprintf("replica %d", r.Number), Warning,
				"reports leave it out: " + err.Error(), "See whether it runs with hot_standby=on, " +
					"whether its replay is paused (pg_wal_replay_resume), and that it follows the " +
					"primary (pg_rewind, or a new base backup)."})
		}
	}
	return findings
}
