package commands

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"dg/app/doctor"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/config"
	"dg/platform/postgres"
)

// ownerDatabase marks commands that run on the database as the owner of its tables.
type ownerDatabase struct{ config.Database }

func (c ownerDatabase) databaseSettings() config.Database { return c.Database }

type operator struct {
	*postgres.DB
	release  func() // ends the use of the embedded server
	policy   *authz.Policy
	auditLog *audit.Log
	orgs     *org.Service
	people   identity.Operator
	request  audit.Request // recorded in the audit entries
}

// ownerLockTimeout is the lock timeout of operator commands: they may wait for an import.
const ownerLockTimeout = time.Minute

// openOperator does not migrate. It fails if the schema is older than this program.
func openOperator(ctx context.Context, selected *kong.Context, stdio Stdio) (o *operator, err error) {
	cmd := selected.Selected().Target.Interface().(interface{ databaseSettings() config.Database })
	db, err := connect(ctx, cmd.databaseSettings(), false, stdio.log)
	if err != nil {
		return nil, err
	}
	installation := db.installation()
	defer installation.Close()
	if err = installation.Run(ctx, doctor.ServerChecks, doctor.SchemaChecks); err == nil {
		command, _, _ := strings.Cut(selected.Command(), " <")
		o, err = db.operator(ctx, "dg "+command)
	}
	if err != nil {
		db.release()
	}
	return o, err
}

// operator connects as the owner of the tables. Audit entries name the command.
func (db *database) operator(ctx context.Context, command string) (*operator, error) {
	owner, err := postgres.Open(ctx, db.ownerURL, postgres.Options{
		Name:             command,
		MaxConns:         2,
		StatementTimeout: -1,
		LockTimeout:      ownerLockTimeout,
	})
	if err != nil {
		return nil, err
	}
	policy, err := authz.New()
	if err != nil {
		owner.Close()
		return nil, err
	}
	auditLog := audit.New(owner)
	orgs := org.New(owner, auditLog, policy)
	return &operator{
		DB:       owner,
		release:  db.release,
		policy:   policy,
		auditLog: auditLog,
		orgs:     orgs,
		people: identity.Operator{DB: owner, Now: time.Now,
			Recorder: identity.Recorder{OrganisationIDsOf: orgs.OrganisationIDsIn, Audit: auditLog}},
		request: audit.Request{Method: "CLI", Path: command, UserAgent: "dg/" + version},
	}, nil
}

// encrypt encrypts two-step secrets with DG_SECRET_KEY. A wrong key is an error, unless forgetLost.
func (db *database) encrypt(ctx context.Context, s config.Secrets, forgetLost bool) (err error) {
	if db.keyring, err = doctor.Keyring(s); err != nil {
		return err
	}
	o, err := db.operator(ctx, "dg secrets")
	if err != nil {
		return err
	}
	defer o.Close()
	result, err := identity.MigrateSecrets(ctx, o.DB, db.keyring, forgetLost)
	if result.Encrypted > 0 {
		db.log.Info("encrypted two-step secrets with DG_SECRET_KEY", "secrets", result.Encrypted)
	}
	if result.Unreadable > 0 {
		db.log.Error("two-step secrets cannot be read, so codes of these people cannot be checked. "+
			"Set DG_SECRET_KEY_PREVIOUS to their key, or reset the accounts, which dg doctor names", "secrets",
			result.Unreadable)
	}
	db.unreadableSecrets = result.Unreadable
	return err
}
