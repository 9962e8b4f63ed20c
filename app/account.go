package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/config"
	"dg/platform/postgres"
)

// accountCmd is `dg account`: help for somebody who cannot sign in.
type accountCmd struct {
	Reset accountResetCmd `cmd:"" help:"Print a link, for one use within 30 minutes, with which a person sets a new password. It removes two-step verification."`
}

// accountResetCmd is `dg account reset`.
type accountResetCmd struct {
	config.Database
	config.Address
	Email string `arg:"" help:"E-mail of the person."`
}

// Run makes the link as the owner of the tables: the role that serves cannot.
func (c accountResetCmd) Run(ctx context.Context, p process) error {
	base, err := c.Base()
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, c.Database, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	owner, err := postgres.Open(ctx, db.ownerURL, postgres.Options{Name: "dg account", MaxConns: 2, Logger: p.log})
	if err != nil {
		return err
	}
	defer owner.Close()
	people := identity.New(owner, time.Now, identity.Auditor{}, p.log) // a reset is recorded when it is used
	reset, err := people.BeginReset(ctx, c.Email)
	if apperr.Is(err, apperr.NotFound) {
		return errors.New("nobody has this e-mail: check it and try again")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.stdout, resetText(base, reset))
	return err
}

// resetText holds the link: it goes to standard output, never to the log.
func resetText(base string, reset identity.Reset) string {
	return fmt.Sprintf(`A link for %s (%s), for one use until %s:

  %s/account/reset?token=%s

WARNING: with it the person sets a new password, and two-step verification and the recovery codes are removed.
All of the person's sessions end. Make sure that nobody else gets the link.
`, reset.Person.Name, reset.Person.Email, reset.ExpiresAt.Format("15:04:05 UTC on 2 Jan 2006"), base, reset.Token)
}
