package commands

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/config"
	"dg/platform/postgres"
)

// ownerLockTimeout is how long a command of the operator waits for another, such as an import.
const ownerLockTimeout = time.Minute

// requestOf is the origin of a command's audit entry.
func requestOf(command string) audit.Request {
	return audit.Request{Method: "CLI", Path: command, UserAgent: "dg/" + version}
}

// operator holds the services of a command that works as the owner of the tables.
type operator struct {
	*postgres.DB
	policy *authz.Policy
	log    *audit.Log
	orgs   *org.Service
	people *identity.Service
}

// withOwner runs work as the owner of the tables. It does not migrate: data and the schema of this
// program must exist.
func withOwner(
	ctx context.Context, c config.Database, p Stdio, name string, work func(operator) error,
) error {
	db, err := connect(ctx, c, false, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	if err := db.require(ctx, "database", "owner", "schema"); err != nil {
		return err
	}
	return db.operate(ctx, name, work)
}

// operate runs work on the migrated database.
func (db *database) operate(ctx context.Context, name string, work func(operator) error) error {
	owner, err := postgres.Open(ctx, db.ownerURL, postgres.Options{
		Name:             name,
		MaxConns:         2,
		StatementTimeout: -1,
		LockTimeout:      ownerLockTimeout,
		Logger:           db.log,
	})
	if err != nil {
		return err
	}
	defer owner.Close()
	policy, err := authz.New()
	if err != nil {
		return err
	}
	log := audit.New(owner)
	orgs := org.New(owner, log, policy)
	return work(operator{DB: owner, policy: policy, log: log, orgs: orgs,
		people: identity.New(owner, time.Now,
			identity.Recorder{Memberships: orgs, Audit: log, Log: db.log}, identity.Keyring{})})
}

// eachOrganisation is withOwner with the ids of all organisations.
func eachOrganisation(
	ctx context.Context, c config.Database, p Stdio, name string,
	work func(o operator, organisations []string) error,
) error {
	return withOwner(ctx, c, p, name, func(o operator) error {
		organisations, err := org.AllIDs(ctx, o.DB)
		if err != nil {
			return err
		}
		return work(o, organisations)
	})
}

// keyring returns the keys in the settings.
func keyring(c config.Secrets) (identity.Keyring, error) {
	current, previous, err := c.Keys()
	if err != nil {
		return identity.Keyring{}, err
	}
	return identity.NewKeyring(current, previous)
}

// encrypt makes the current key that of the database, and counts the secrets that no key decrypts.
// It fails if the keys belong to another database. With forgetLost the key replaces a lost one.
func (db *database) encrypt(ctx context.Context, s config.Secrets, forgetLost bool) error {
	keys, err := keyring(s)
	if err != nil {
		return err
	}
	return db.operate(ctx, "dg secrets", func(o operator) error {
		done, err := identity.MigrateSecrets(ctx, o.DB, keys, forgetLost)
		if done.Encrypted > 0 {
			db.log.Info("encrypted two-step secrets with DG_SECRET_KEY", "secrets", done.Encrypted)
		}
		if done.Unreadable > 0 {
			db.log.Error("two-step secrets cannot be read, so codes of these people cannot be checked. "+
				"Set DG_SECRET_KEY_PREVIOUS to their key, or reset the accounts", "secrets", done.Unreadable)
		}
		db.unreadable = done.Unreadable
		return err
	})
}
