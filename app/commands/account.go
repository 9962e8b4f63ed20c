package commands

import (
	"context"

	"dg/modules/identity"
	"dg/platform/config"
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
	return withOwner(ctx, c.Database, p, "dg account", func(o operator) error {
		return o.printReset(ctx, p, base, c.Email, "dg account reset")
	})
}

// printReset prints a link that sets the person's password. The log never has it.
func (o operator) printReset(ctx context.Context, p Stdio, base, email, command string) error {
	reset, err := o.people.BeginReset(identity.WithRequest(ctx, requestOf(command)), email)
	if err != nil {
		return err
	}
	return p.print(`Link for %s (%s), valid once until %s:

  %s/account/reset?token=%s

WARNING: the link sets a new password for anyone who opens it. Send it to this person only.
Its use turns two-step verification off, voids the recovery codes and ends all sessions.
`, reset.Person.Name, reset.Person.Email, reset.ExpiresAt.Format("15:04:05 UTC on 2 Jan 2006"), base,
		reset.Token)
}
