package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"dg/modules/identity"
	"dg/platform/postgres"
)

// open connects with the session checks of dg serve. On failure the DB is nil and the findings say
// why.
func (s *Subject) open(ctx context.Context, setting, url string) (*postgres.DB, []Finding) {
	db, err := postgres.Open(ctx, url,
		postgres.Options{Name: "dg doctor", MaxConns: 2, Logger: s.Log})
	if session, is := errors.AsType[*postgres.SessionError](err); is {
		return nil, []Finding{{"pooler", Failure, session.Problem,
			strings.ToUpper(session.Fix[:1]) + session.Fix[1:] + "."}}
	}
	if err != nil {
		return nil, checkFailed("database", fmt.Errorf("%s: %w", setting, err))
	}
	return db, nil
}

// findDatabase opens and checks the database of the serving role.
func findDatabase(ctx context.Context, s *Subject) (found []Finding) {
	if s.db, found = s.open(ctx, "DG_DATABASE_URL", s.URL); s.db == nil {
		return found
	}
	err := s.db.Pool.QueryRow(ctx, `/* doctor.name */ select format('%s %s', current_database(),
		system_identifier) from pg_control_system()`).Scan(&s.name)
	if err != nil {
		return checkFailed("database", err)
	}
	return s.query(ctx, s.db, "database")
}

// findOwner opens and checks the database of the role that migrates. The embedded server has a role
// of its own.
func findOwner(ctx context.Context, s *Subject) []Finding {
	if s.Embedded() {
		return nil
	}
	db, found := s.open(ctx, s.ownerSetting(), cmp.Or(s.MigrateDatabaseURL, s.DatabaseURL))
	if db == nil {
		return found
	}
	defer db.Close()
	return s.query(ctx, db, "owner")
}

// ownerSetting is the setting with the URL of the role that migrates.
func (s *Subject) ownerSetting() string {
	if s.MigrateDatabaseURL == "" {
		return "DG_DATABASE_URL"
	}
	return "DG_MIGRATE_DATABASE_URL"
}

// findSecrets checks that the keys are those of the database.
func findSecrets(ctx context.Context, s *Subject) []Finding {
	current, previous, err := s.Keys()
	keys, failure := identity.NewKeyring(current, previous)
	if errors.Join(err, failure) != nil {
		return nil // reported with the settings
	}
	err = identity.CheckSecretKey(ctx, s.db, keys)
	if errors.Is(err, identity.ErrSecretKey) {
		return []Finding{{"secrets", Failure, "the database has another secret key",
			"Set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it. " +
				"If it is lost: dg migrate --forget-secret-key."}}
	}
	if err != nil {
		return checkFailed("secrets", err)
	}
	return nil
}

// findReplicas checks that the URLs of replicas lead to copies of the database. One that does not
// answer is no fault: reports leave it out.
func findReplicas(ctx context.Context, s *Subject) []Finding {
	replicas, err := postgres.OpenReplicas(ctx, s.Replicas(), s.db,
		postgres.Options{Name: "dg doctor", MaxConns: 1})
	if err != nil {
		return []Finding{{"replicas", Failure, err.Error(), "Correct DG_DATABASE_REPLICA_URLS."}}
	}
	postgres.CloseReplicas(replicas)
	return nil
}
