package organisation

import (
	"context"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
)

// Settings is the part of org.Service that these screens use.
type Settings interface {
	Members(ctx context.Context, organisationID string) (_ []org.Member, all int, _ error)
	GroupPage(
		ctx context.Context, organisationID string, page, size int,
	) (_ []org.CountedGroup, all int, _ error)
	FindGroups(
		ctx context.Context, organisationID, text string,
	) (found []org.CountedGroup, more bool, _ error)
	SetReportingMode(
		ctx context.Context, actor org.Actor, mode org.ReportingMode, request audit.Request,
	) error
}

// People finds the name, e-mail and two-step verification of members by id.
type People interface {
	People(ctx context.Context, ids []string) ([]identity.Person, error)
}
