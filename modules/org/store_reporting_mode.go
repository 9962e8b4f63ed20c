package org

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// setReportingMode changes the mode and appends the entry, which says what the mode was. It reads
// the actor's role again, which may have been taken away since it was checked. The lock on the row
// is the one of its update: refused uses of keys are recorded meanwhile.
func (s *Service) setReportingMode(
	ctx context.Context, mode ReportingMode, entry audit.Entry,
) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		now, err := s.SubjectIn(tx, entry.OrganisationID, entry.Actor.ID)
		if err != nil {
			return err
		}
		if err := s.mayChangeMode(now, entry.OrganisationID); err != nil {
			return err
		}
		before, err := s.OrganisationIn(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}),
			entry.OrganisationID)
		if err != nil {
			return err
		}
		if err := s.mayChangeMode(now, before.ID); err != nil || before.ReportingMode == mode {
			return err
		}
		err = tx.Scopes(postgres.Tag("org.setReportingMode"),
			tenant.Scope(entry.OrganisationID)).
			Model(&organisationRow{}).Update("reporting_mode", mode).Error
		if err != nil {
			return fmt.Errorf("org: set the reporting mode: %w", err)
		}
		entry.Details = map[string]any{"from": string(before.ReportingMode), "to": string(mode)}
		return s.log.AppendIn(tx, entry)
	})
}
