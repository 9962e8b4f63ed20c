package commands

import (
	"context"
	"fmt"
	"regexp"
	"text/tabwriter"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dg/modules/org"
	"dg/platform/config"
	"dg/platform/input"
)

type organisationCmd struct {
	Create organisationCreateCmd `cmd:"" help:"Create an organisation with its first owner, and print the owner's link."`
	Plan   organisationPlanCmd   `cmd:"" help:"Change the plan of an organisation."`
	List   organisationListCmd   `cmd:"" help:"List the organisations: slug, plan, reporting mode, id, name."`
}

type organisationCreateCmd struct {
	ownerDatabase
	config.Address
	Name          string `required:"" help:"Name of the organisation."`
	Slug          string `required:"" help:"Its part of addresses: lower-case letters, digits and dashes."`
	Plan          string `enum:"free,team,pro,enterprise" default:"pro" help:"Plan: free, team, pro or enterprise."`
	ReportingMode string `enum:"pseudonymous,nominative" default:"pseudonymous" help:"How reports name players: pseudonymous or nominative."`
	OwnerEmail    string `required:"" help:"E-mail of the first owner."`
	OwnerName     string `help:"Name of the first owner, if there is no account yet. Empty: the e-mail."`
}

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (c organisationCreateCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	base, err := c.Base()
	if err != nil {
		return err
	}
	if !input.ValidText(c.Name) {
		return fmt.Errorf("%q is not a name: it needs 1 to 200 printable characters", c.Name)
	}
	if !slugPattern.MatchString(c.Slug) {
		return fmt.Errorf("%q is not a slug: name one with --slug, such as harbour-and-vale", c.Slug)
	}
	organisation := org.Organisation{ID: uuid.NewString(), Slug: c.Slug, Name: c.Name,
		Plan: org.Plan(c.Plan), ReportingMode: org.ReportingMode(c.ReportingMode)}
	var needsPassword bool
	if err := o.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) {
		if err := o.orgs.CreateIn(tx, organisation, o.request); err != nil {
			return err
		}
		needsPassword, err = o.addMember(tx, memberArgs{c.Slug, c.OwnerEmail}, c.OwnerName, org.RoleOwner)
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(stdio.Stdout, "Created %s (plan %s): %s/o/%s/reports\n\n", c.Name, c.Plan, base, c.Slug)
	return o.printInvitation(ctx, stdio, base, c.OwnerEmail, needsPassword)
}

type organisationPlanCmd struct {
	ownerDatabase
	Organisation string `arg:"" help:"Slug of the organisation."`
	Plan         string `arg:"" enum:"free,team,pro,enterprise" help:"New plan: free, team, pro or enterprise. Below pro, API keys are paused."`
}

func (c organisationPlanCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	if err := o.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		return o.orgs.SetPlanIn(tx, c.Organisation, org.Plan(c.Plan), o.request)
	}); err != nil {
		return err
	}
	return stdio.print("%s has the plan %s.\n", c.Organisation, c.Plan)
}

type organisationListCmd struct{ ownerDatabase }

func (c organisationListCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	organisations, err := o.orgs.AllOrganisations(ctx)
	if err != nil {
		return err
	}
	if len(organisations) == 0 {
		return stdio.print("There are no organisations: dg organisation create makes one.\n")
	}
	w := tabwriter.NewWriter(stdio.Stdout, 0, 0, 2, ' ', 0)
	for _, organisation := range organisations {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", organisation.Slug, organisation.Plan,
			organisation.ReportingMode, organisation.ID, organisation.Name)
	}
	return w.Flush()
}
