package org

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// Actor is the member who changes the organisation. The policy checks the grants of Subject.
type Actor struct {
	Person  audit.Actor
	Subject authz.Subject
}

var (
	errNotOwner = apperr.New(apperr.AccessDenied,
		"Only an owner can change the reporting mode. Ask one of them.")
	errModeChanged = apperr.NewField("mode",
		"Another owner changed the reporting mode meanwhile. Open the form again.")
	errUnknownMode = apperr.NewField("mode", "Choose one of the two: pseudonymous or nominative.")
)

// SetReportingMode sets how reports name players, for past plays too. Every request that starts
// after the commit sees the new mode, on every instance. Setting the current mode changes and
// records nothing. confirmedFrom is the mode that was stored when the form was checked. If it equals
// mode, the actor has confirmed no change. Errors: apperr.AccessDenied unless the actor is an owner
// at the commit; apperr.Validation with the field "mode", also for an unconfirmed change.
func (s *Service) SetReportingMode(
	ctx context.Context, actor Actor, confirmedFrom, mode ReportingMode, request audit.Request,
) error {
	organisationID := actor.Subject.OrganisationID
	if err := s.authorizeModeChange(actor.Subject, organisationID); err != nil {
		return err
	}
	if mode != Pseudonymous && mode != Nominative {
		return errUnknownMode
	}
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		// The organisation is locked before the membership, as in SetRoleIn. NO KEY UPDATE does not
		// block new audit entries, whose foreign key locks the organisation.
		before, err := s.OrganisationIn(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}),
			organisationID)
		switch {
		case errors.Is(err, errOrganisationNotFound): // an unknown organisation has no owners
			return errNotOwner
		case err != nil:
			return err
		}
		// The actor may have lost the role since the first check.
		subject, err := s.LockedSubjectIn(tx, organisationID, actor.Person.ID)
		if err != nil {
			return err
		}
		err = s.authorizeModeChange(subject, organisationID)
		if err != nil || before.ReportingMode == mode {
			return err
		}
		if confirmedFrom == mode {
			return errModeChanged
		}
		err = tx.Scopes(postgres.Tag("org.setReportingMode"), tenant.Scope(organisationID)).
			Model(&Organisation{}).Update("reporting_mode", mode).Error
		if err != nil {
			return fmt.Errorf("org: set the reporting mode: %w", err)
		}
		return s.auditLog.AppendIn(tx, audit.Entry{
			OrganisationID: organisationID, Actor: actor.Person, Action: audit.ReportingModeChanged,
			Target:  audit.Target{Kind: "organisation", ID: organisationID},
			Details: map[string]any{"from": string(before.ReportingMode), "to": string(mode)},
			Request: request,
		})
	})
}

func (s *Service) authorizeModeChange(subject authz.Subject, organisationID string) error {
	err := s.policy.Authorize(subject, ChangeReportingMode, organisationID)
	if errors.Is(err, authz.ErrDenied) {
		return errNotOwner
	}
	return err
}
