package doctor

import (
	"context"
	"fmt"

	"dg/app/demo"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

func open(ctx context.Context, setting, url string) (*postgres.DB, error) {
	db, err := postgres.Open(ctx, url, postgres.Options{Name: "dg doctor", MaxConns: 2})
	return db, apperr.Annotate(err, setting)
}

// checkDatabase opens s.db, which later checks use.
func checkDatabase(ctx context.Context, s *Installation) (_ []string, err error) {
	if s.db, err = open(ctx, "DG_DATABASE_URL", s.ServingURL); err != nil {
		return nil, err
	}
	err = s.db.Pool.QueryRow(ctx, `/* doctor.name */ select format('%s %s', current_database(),
		system_identifier) from pg_control_system()`).Scan(&s.name)
	if err != nil {
		return nil, err
	}
	return s.query(ctx, s.db, "database")
}

// checkOwner checks the owner's role, except on the embedded server, where dg creates it.
func checkOwner(ctx context.Context, s *Installation) ([]string, error) {
	if s.Embedded() {
		return nil, nil
	}
	if s.MigrateDatabaseURL == "" {
		return s.query(ctx, s.db, "owner")
	}
	db, err := open(ctx, "DG_MIGRATE_DATABASE_URL", s.MigrateDatabaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return s.query(ctx, db, "owner")
}

func checkSecrets(ctx context.Context, s *Installation) ([]string, error) {
	current, previous, err := s.Keys()
	if err != nil {
		return nil, err
	}
	keys, err := identity.NewKeyring(current, previous)
	if err != nil {
		return nil, err
	}
	return nil, identity.CheckSecretKey(ctx, s.db, keys)
}

// checkDemo fails if other machines could sign in with the demo's passwords.
func checkDemo(ctx context.Context, s *Installation) ([]string, error) {
	if s.LoopbackOnly() {
		return nil, nil
	}
	return nil, demo.CheckPasswords(ctx, s.db.Pool)
}

// checkReplicas warns of a replica that reports leave out.
func checkReplicas(ctx context.Context, s *Installation) (warnings []string, _ error) {
	replicas, err := postgres.OpenReplicas(ctx, s.Replicas(), s.db,
		postgres.Options{Name: "dg doctor", MaxConns: 1})
	if err != nil {
		return nil, err
	}
	defer postgres.CloseReplicas(replicas)
	for _, r := range replicas {
		if err := r.Check(ctx); err != nil {
			warnings = append(warnings, fmt.Sprintf("reports leave out replica %d: %s", r.Number,
				explain(err)))
		}
	}
	return warnings, nil
}

func checkEmails(ctx context.Context, s *Installation) ([]string, error) {
	return identity.CheckEmails(ctx, s.db)
}
