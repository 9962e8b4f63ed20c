package commands

import (
	"context"
	"time"

	"dg/app/doctor"
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
	owner, err := postgres.Open(ctx, db.ownerURL, postgres.Options{
		Name:             name,
		MaxConns:         2,
		StatementTimeout: -1,
		LockTimeout:      ownerLockTimeout,
		Logger:           p.log,
	})
	if err != nil {
		return err
	}
	defer owner.Close()
	if err := doctor.CheckSchema(ctx, owner); err != nil {
		return err
	}
	policy, err := authz.New()
	if err != nil {
		return err
	}
	log := audit.New(owner)
	orgs := org.New(owner, log, policy)
	return work(operator{DB: owner, log: log, orgs: orgs, people: identity.New(owner, time.Now,
		identity.Recorder{Memberships: orgs, Audit: log, Log: p.log}, identity.Keyring{})})
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
