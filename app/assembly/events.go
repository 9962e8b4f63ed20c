package assembly

import (
	"cmp"
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
	organisations, err := s.logsOf(ctx, tx, e)
	if err != nil {
		return err
	}
	return s.Log.AppendToAll(ctx, tx, organisations, audit.Entry{
		Actor: audit.Actor{Kind: audit.Person, ID: e.PersonID, Name: e.Person}, Action: audit.Action(e.Kind),
		Target: audit.Target{Kind: "person", ID: e.PersonID}, Reason: audit.Reason(e.Failure), Details: e.Details,
		Request: audit.Request(e.Request),
	})
}

// Count implements identity.Events.
func (s SecurityEvents) Count(ctx context.Context, tx pgx.Tx, e identity.Event) error {
	organisations, err := s.logsOf(ctx, tx, e)
	if err != nil {
		return err
	}
	return s.Log.CountInAll(ctx, tx, organisations, audit.Entry{
		Actor: audit.Actor{Kind: audit.Person, ID: e.PersonID, Name: e.Person}, Action: audit.Action(e.Kind), Reason: audit.Reason(e.Failure),
	})
}

// nobody is the id of no person.
const nobody = "00000000-0000-0000-0000-000000000000"

// logsOf returns whose logs an event goes to. For an e-mail that nobody has it does the same and finds none.
func (s SecurityEvents) logsOf(ctx context.Context, tx pgx.Tx, e identity.Event) ([]string, error) {
	if e.PersonID == "" && e.Kind == identity.SignInFailed {
		s.Unknown()
	}
	return s.Orgs.OrganisationsOf(ctx, tx, cmp.Or(e.PersonID, nobody))
}
