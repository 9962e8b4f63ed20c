package doctor

import (
	"cmp"
	"context"
	"fmt"

	"dg/app/demo"
	"dg/modules/identity"
	"dg/platform/postgres"
)

func (s *Installation) open(ctx context.Context, setting, url string) (*postgres.DB, error) {
	db, err := postgres.Open(ctx, url,
		postgres.Options{Name: "dg doctor", MaxConns: 2, Logger: s.Logger})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return db, nil
}

// checkDatabase leaves its pool to the later checks.
func checkDatabase(ctx context.Context, s *Installation) (_ []Finding, err error) {
	if s.db, err = s.open(ctx, "DG_DATABASE_URL", s.URL); err != nil {
		return nil, err
	}
	err = s.db.Pool.QueryRow(ctx, `/* doctor.name */ select format('%s %s', current_database(),
		system_identifier) from pg_control_system()`).Scan(&s.name)
	if err != nil {
		return nil, err
	}
	return s.query(ctx, s.db, "database")
}

// checkOwner skips the embedded server, whose owner dg creates.
func checkOwner(ctx context.Context, s *Installation) ([]Finding, error) {
	if s.Embedded() {
		return nil, nil
	}
	db, err := s.open(ctx, s.ownerSetting(), cmp.Or(s.MigrateDatabaseURL, s.DatabaseURL))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return s.query(ctx, db, "owner")
}

func (s *Installation) ownerSetting() string {
	if s.MigrateDatabaseURL == "" {
		return "DG_DATABASE_URL"
	}
	return "DG_MIGRATE_DATABASE_URL"
}

func checkSecrets(ctx context.Context, s *Installation) ([]Finding, error) {
	current, previous, err := s.Keys()
	keys, failure := identity.NewKeyring(current, previous)
	if invalid := err != nil || failure != nil; invalid { // reported with the settings
		return nil, nil
	}
	return nil, identity.CheckSecretKey(ctx, s.db, keys)
}

// checkDemo refuses the demo's passwords where other machines could sign in.
func checkDemo(ctx context.Context, s *Installation) ([]Finding, error) {
	if s.LoopbackOnly() {
		return nil, nil
	}
	return nil, demo.CheckPasswords(ctx, s.db.Pool)
}

// checkReplicas accepts a replica that does not answer: reports leave it out.
func checkReplicas(ctx context.Context, s *Installation) ([]Finding, error) {
	replicas, err := postgres.OpenReplicas(ctx, s.Replicas(), s.db,
		postgres.Options{Name: "dg doctor", MaxConns: 1})
	if err != nil {
		return nil, err
	}
	postgres.CloseReplicas(replicas)
	return nil, nil
}
