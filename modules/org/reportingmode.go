package org

import (
	"context"
	"errors"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Actor is a member who changes the organisation: who it is, and what the policy lets it do.
type Actor struct {
	Person  audit.Actor
	Subject authz.Subject
}

var (
	errNotOwner    = apperr.New(apperr.AccessDenied, "Only an owner can change the reporting mode. Ask one of them.")
	errUnknownMode = apperr.NewField("mode", "Choose one of the two: pseudonymous or nominative.")
)

// SetReportingMode decides how the players of the actor's organisation are named, past plays included. Every request that
// starts later sees it, on every instance. The change and its audit entry commit together; to set what is set already
// changes nothing and records nothing.
//
// Errors: ErrAccessDenied, also where the actor is no owner any more, ErrValidation with the field "mode".
func (s *Service) SetReportingMode(ctx context.Context, actor Actor, mode ReportingMode, request audit.Request) error {
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
