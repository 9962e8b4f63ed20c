package assembly

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
)

// SecurityEvents is where the events of people's sign-in go: the logs of their organisations (decisions, "Audit").
type SecurityEvents struct {
	Orgs    *org.Service
	Log     *audit.Log
	Unknown func() // counts a failed sign-in with an e-mail that nobody has
}

// Record implements identity.Events.
func (s SecurityEvents) Record(ctx context.Context, tx pgx.Tx, e identity.Event) error {
	organisations, err := s.Orgs.OrganisationsOf(ctx, tx, e.PersonID)
	if err != nil {
		return err
	}
	return s.Log.AppendToAll(ctx, tx, organisations, audit.Entry{
		Actor: audit.Actor{Kind: audit.Person, ID: e.PersonID, Name: e.Person}, Action: audit.Action(e.Kind),
		Target: audit.Target{Kind: "person", ID: e.PersonID}, Reason: audit.Reason(e.Failure), Details: e.Details,
		Request: audit.Request(e.Request),
	})
}

// CountUnknown implements identity.Events.
func (s SecurityEvents) CountUnknown() { s.Unknown() }
