package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/config"
	"dg/platform/input"
)

type memberCmd struct {
	Add    memberAddCmd    `cmd:"" help:"Add a person to an organisation. A person without a password gets a link."`
	Role   memberRoleCmd   `cmd:"" help:"Change the role of a member."`
	Remove memberRemoveCmd `cmd:"" help:"Remove a member from an organisation. The account stays. An import of the membership brings it back."`
}

type memberArgs struct {
	Organisation string `arg:"" help:"Slug of the organisation."`
	Email        string `arg:"" help:"E-mail of the person."`
}

type memberAddCmd struct {
	ownerDatabase
	config.Address
	memberArgs
	Role string `enum:"owner,admin,member" default:"member" help:"Role: owner, admin or member."`
	Name string `help:"Name of the person, if there is no account yet. Empty: the e-mail."`
}

func (c memberAddCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	base, err := c.Base()
	if err != nil {
		return err
	}
	var needsPassword bool
	if err := o.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) {
		needsPassword, err = o.addMember(tx, c.memberArgs, c.Name, org.Role(c.Role))
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(stdio.Stdout, "%s is %s of %s.\n", c.Email, c.Role, c.Organisation)
	return o.printInvitation(ctx, stdio, base, c.Email, needsPassword)
}

type memberRoleCmd struct {
	ownerDatabase
	memberArgs
	Role string `arg:"" enum:"owner,admin,member" help:"New role: owner, admin or member."`
}

func (c memberRoleCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	return o.changeRole(ctx, stdio, c.memberArgs, org.Role(c.Role))
}

type memberRemoveCmd struct {
	ownerDatabase
	memberArgs
}

func (c memberRemoveCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	return o.changeRole(ctx, stdio, c.memberArgs, org.NoRole)
}

func (o *operator) changeRole(ctx context.Context, stdio Stdio, m memberArgs, role org.Role) error {
	err := o.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		person, err := identity.NamedPersonIn(tx, m.Email)
		if err != nil {
			return err
		}
		return o.setRole(tx, m, person, role, func(current org.Role) error {
			if current == org.NoRole {
				return fmt.Errorf("%s is not a member of %s", m.Email, m.Organisation)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return stdio.print("%s: role %s in %s.\n", m.Email, role, m.Organisation)
}

// addMember also adds an account if there is none. A new account has no password yet.
func (o *operator) addMember(
	tx *gorm.DB, m memberArgs, name string, role org.Role,
) (needsPassword bool, err error) {
	email, ok := identity.ParseEmail(m.Email)
	if !ok {
		return false, fmt.Errorf("%q is not an e-mail: it takes %s", m.Email, identity.EmailFormat)
	}
	person, err := identity.PersonIn(tx, email)
	if errors.Is(err, identity.ErrNoSuchEmail) {
		if name != "" && !input.ValidText(name) {
			return false, fmt.Errorf("%q is not a name: it takes 1 to 200 printable characters", name)
		}
		person, err = identity.AddPersonIn(tx, email, cmp.Or(name, email))
	}
	if err != nil {
		return false, err
	}
	return !person.HasPassword, o.setRole(tx, m, person, role, func(current org.Role) error {
		if current != org.NoRole {
			return fmt.Errorf("%s is a member already: change the role with dg member role", m.Email)
		}
		return nil
	})
}

func (o *operator) setRole(
	tx *gorm.DB, m memberArgs, person identity.Person, role org.Role, mayChange func(org.Role) error,
) error {
	return o.orgs.SetRoleIn(tx, m.Organisation, audit.Actor{ID: person.ID, Name: person.Name}, role,
		mayChange, o.request)
}

// printInvitation prints no link if there is a password: a link turns two-step verification off.
func (o *operator) printInvitation(ctx context.Context, stdio Stdio, base, email string, needsPassword bool) error {
	if needsPassword {
		return o.printReset(ctx, stdio, base, email)
	}
	return stdio.print("%s has a password and signs in with it: %s/sign-in\n", email, base)
}

type accountCmd struct {
	Reset  accountResetCmd  `cmd:"" help:"Print a link that sets a new password once, within 30 minutes, and turns two-step verification off."`
	Delete accountDeleteCmd `cmd:"" help:"Delete an account and its memberships. Audit entries keep the name. An import of the user brings the account back."`
}

type accountDeleteCmd struct {
	ownerDatabase
	Email string `arg:"" help:"E-mail of the person."`
}

// Run refuses to delete the last owner of an organisation.
func (c accountDeleteCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	ctx = identity.WithRequest(ctx, o.request)
	var person identity.Person
	if err := o.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) {
		if person, err = identity.NamedPersonIn(tx, c.Email); err != nil {
			return err
		}
		return o.people.DeletePersonIn(tx, person, func(record func() error) error {
			return o.orgs.LeaveAllIn(tx, audit.Actor{ID: person.ID, Name: person.Name}, record, o.request)
		})
	}); err != nil {
		return err
	}
	return stdio.print("Deleted the account of %s.\n", person.Email)
}

type accountResetCmd struct {
	ownerDatabase
	config.Address
	Email string `arg:"" help:"E-mail of the person."`
}

// Run acts as the owner of the tables: the serving role has no right to create links.
func (c accountResetCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	base, err := c.Base()
	if err != nil {
		return err
	}
	return o.printReset(ctx, stdio, base, c.Email)
}

// printReset prints a reset link to standard output, never to the log: it is a secret.
func (o *operator) printReset(ctx context.Context, stdio Stdio, base, email string) error {
	reset, err := o.people.BeginReset(identity.WithRequest(ctx, o.request), email)
	if err != nil {
		return err
	}
	person := reset.Person
	recipient := person.Email
	if person.Name != person.Email {
		recipient = fmt.Sprintf("%s (%s)", person.Name, person.Email)
	}
	effects := "" // a new person has neither password nor two-step verification
	switch {
	case person.TwoStep:
		effects = "Its use turns two-step verification off, voids the recovery codes and ends all sessions.\n"
	case person.HasPassword:
		effects = "Its use ends all sessions.\n"
	}
	return stdio.print(`Link for %s, valid once until %s:

  %s/account/reset?token=%s

WARNING: the link sets a new password for anyone who opens it. Send it to this person only.
%s`, recipient, reset.ExpiresAt.Format("15:04:05 UTC on 2 Jan 2006"), base, reset.Token, effects)
}
