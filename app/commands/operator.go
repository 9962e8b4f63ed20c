package commands

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/config"
	"dg/platform/postgres"
)

// ownerLockTimeout is how long a command of the operator waits for another, such as an import.
const ownerLockTimeout = time.Minute

// requestOf is how the entry of a command says where it came from.
func requestOf(command string) audit.Request {
	return audit.Request{Method: "CLI", Path: command, UserAgent: "dg/" + version}
}

// withOwner works as the owner of the tables, on all organisations.
func withOwner(
	ctx context.Context, c config.Database, p Stdio, name string,
	work func(owner *postgres.DB, organisations []string) error,
) error {
	db, err := openExisting(ctx, c, p.log)
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
	organisations, err := org.AllIDs(ctx, owner)
	if err != nil {
		return err
	}
	return work(owner, organisations)
}
