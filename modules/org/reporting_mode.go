package org

import (
	"context"
	"errors"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Actor is the member who changes the organisation, with its grants.
type Actor struct {
	Person  audit.Actor
	Subject authz.Subject
}

var (
	errNotOwner = apperr.New(apperr.AccessDenied,
		"Only an owner can change the reporting mode. Ask one of them.")
	errUnknownMode = apperr.NewField("mode", "Choose one of the two: pseudonymous or nominative.")
)

// SetReportingMode sets how the players of the actor's organisation are named, past plays included.
// Every request that starts later sees it, on every instance. The change and its audit entry commit
// together; setting the current mode changes and records nothing.
//
// Errors: apperr.AccessDenied, also when the actor is no longer an owner, apperr.Validation with
// the field "mode".
func (s *Service) SetReportingMode(
	ctx context.Context, actor Actor, mode ReportingMode, request audit.Request,
) error {
	organisation := actor.Subject.OrganisationID
	if err := s.mayChangeMode(actor.Subject, organisation); err != nil {
		return err
	}
	if !mode.Valid() {
		return errUnknownMode
	}
	return s.setReportingMode(ctx, mode, audit.Entry{
		OrganisationID: organisation, Actor: actor.Person, Action: audit.ReportingModeChanged,
		Target: audit.Target{Kind: "organisation", ID: organisation}, Request: request,
	})
}

func (s *Service) mayChangeMode(subject authz.Subject, organisation string) error {
	err := s.policy.Authorize(subject, authz.ChangeReportingMode, organisation)
	if errors.Is(err, authz.ErrDenied) {
		return errNotOwner
	}
	return err
}
