package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/config"
	"dg/platform/postgres"
)

// accountCmd is `dg account`, for people who cannot sign in.
type accountCmd struct {
	Reset accountResetCmd `cmd:"" help:"Print a link that sets a new password once, within 30 minutes, and turns two-step verification off."`
}

// accountResetCmd is `dg account reset`.
type accountResetCmd struct {
	config.Database
	config.Address
	Email string `arg:"" help:"E-mail of the person."`
}

// Run creates the link as the owner of the tables: the serving role may not.
func (c accountResetCmd) Run(ctx context.Context, p Stdio) error {
	base, err := c.Base()
	if err != nil {
		return err
	}
	db, err := openExisting(ctx, c.Database, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	owner, err := postgres.Open(ctx, db.ownerURL,
		postgres.Options{Name: "dg account", MaxConns: 2, Logger: p.log})
	if err != nil {
		return err
	}
	defer owner.Close()
	policy, err := authz.New()
	if err != nil {
		return err
	}
	log := audit.New(owner)
	people := identity.New(owner, time.Now,
		identity.Auditor{Memberships: org.New(owner, log, policy), Log: log}, p.log)
	reset, err := people.Resets.BeginReset(identity.WithRequest(ctx, requestOf("dg account reset")),
		c.Email)
	if apperr.Is(err, apperr.NotFound) {
		return errors.New("no account has this e-mail: check the spelling")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.Stdout, resetText(base, reset))
	return err
}

// resetText contains the link: print it to standard output, never to the log.
func resetText(base string, reset identity.Reset) string {
	return fmt.Sprintf(`Link for %s (%s), valid once until %s:

  %s/account/reset?token=%s

WARNING: the link sets a new password for anyone who opens it. Send it to this person only.
Its use turns two-step verification off, voids the recovery codes and ends all sessions.
`, reset.Person.Name, reset.Person.Email, reset.ExpiresAt.Format("15:04:05 UTC on 2 Jan 2006"),
		base,
		reset.Token)
}
