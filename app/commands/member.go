package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/config"
	"dg/platform/input"
)

// memberCmd is `dg member`.
type memberCmd struct {
	Add    memberAddCmd    `cmd:"" help:"Add a person to an organisation. A person without a password gets a link."`
	Role   memberRoleCmd   `cmd:"" help:"Change the role of a member."`
	Remove memberRemoveCmd `cmd:"" help:"Remove a member from an organisation. The account stays."`
}

// member names a person in an organisation.
type member struct {
	Organisation string `arg:"" help:"Slug of the organisation."`
	Email        string `arg:"" help:"E-mail of the person."`

	invited bool            // there is no password yet
	person  identity.Person // once it is stored
}

// memberAddCmd is `dg member add`.
type memberAddCmd struct {
	config.Database
	config.Address
	member
	Role string `enum:"owner,admin,member" default:"member" help:"Role: owner, admin or member."`
	Name string `help:"Name of the person, if there is no account yet. Empty: the e-mail."`
}

// Run adds account and membership in one transaction.
func (c memberAddCmd) Run(ctx context.Context, p Stdio) error {
	base, err := c.Base()
	if err != nil {
		return err
	}
	const command = "dg member add"
	return withOwner(ctx, c.Database, p, command, func(o operator) error {
		err := o.inTransaction(ctx, func(tx *gorm.DB) error {
			return o.addMember(tx, &c.member, c.Name, org.Role(c.Role), command)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s is %s of %s.\n", c.Email, c.Role, c.Organisation)
		return o.welcome(ctx, p, base, c.member, command)
	})
}

// memberRoleCmd is `dg member role`.
type memberRoleCmd struct {
	config.Database
	member
	Role string `arg:"" enum:"owner,admin,member" help:"New role: owner, admin or member."`
}

// Run changes the role.
func (c memberRoleCmd) Run(ctx context.Context, p Stdio) error {
	return c.change(ctx, c.Database, p, org.Role(c.Role), "dg member role")
}

// memberRemoveCmd is `dg member remove`.
type memberRemoveCmd struct {
	config.Database
	member
}

// Run ends the membership.
func (c memberRemoveCmd) Run(ctx context.Context, p Stdio) error {
	return c.change(ctx, c.Database, p, org.NoRole, "dg member remove")
}

// change changes the role of a member.
func (m member) change(
	ctx context.Context, c config.Database, p Stdio, role org.Role, command string,
) error {
	return withOwner(ctx, c, p, command, func(o operator) error {
		err := o.inTransaction(ctx, func(tx *gorm.DB) error {
			person, _, err := identity.PersonIn(tx, m.Email)
			if err != nil {
				return err
			}
			mayChange := func(now org.Role) error {
				if now == org.NoRole {
					return fmt.Errorf("%s is not a member of %s", m.Email, m.Organisation)
				}
				return nil
			}
			return o.orgs.SetRoleIn(tx, m.Organisation, actorOf(person), role, mayChange, requestOf(command))
		})
		if err != nil {
			return err
		}
		return p.print("%s: role %s in %s.\n", m.Email, role, m.Organisation)
	})
}

// addMember adds the person to the organisation, with an account where there is none.
func (o operator) addMember(
	tx *gorm.DB, m *member, name string, role org.Role, command string,
) error {
	local, domain, _ := strings.Cut(m.Email, "@")
	if local == "" || domain == "" || !input.ValidText(m.Email) {
		return fmt.Errorf("%q is not an e-mail", m.Email)
	}
	person, password, err := identity.PersonIn(tx, m.Email)
	if errors.Is(err, identity.ErrNoSuchEmail) {
		if name == "" {
			name = m.Email
		}
		person, err = identity.AddIn(tx, m.Email, name)
	}
	if err != nil {
		return err
	}
	m.person = person
	m.invited = !password
	mayChange := func(now org.Role) error {
		if now != org.NoRole {
			return fmt.Errorf("%s is a member already: change the role with dg member role", m.Email)
		}
		return nil
	}
	return o.orgs.SetRoleIn(tx, m.Organisation, actorOf(person), role, mayChange, requestOf(command))
}

func actorOf(p identity.Person) audit.Actor { return audit.Actor{ID: p.ID, Name: p.Name} }

// welcome prints the link of a person without a password. Others keep theirs: a link would turn
// two-step verification off.
func (o operator) welcome(ctx context.Context, p Stdio, base string, m member, command string) error {
	if m.invited {
		return o.printReset(ctx, p, base, m.Email, command)
	}
	return p.print("%s (%s) has a password and signs in with it: %s/sign-in\n", m.person.Name,
		m.person.Email, base)
}

func (o operator) inTransaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return o.Gorm.WithContext(ctx).Transaction(fn)
}
