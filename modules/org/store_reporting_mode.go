package org

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
)

// setReportingMode changes the mode and appends the entry, which says what the mode was. It reads the actor's role again, which may
// have been taken away since it was checked. The lock on the row is the one of its update: refused uses of keys are recorded
// meanwhile.
func (s *Service) setReportingMode(ctx context.Context, mode ReportingMode, entry audit.Entry) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		now, err := s.SubjectIn(tx, entry.OrganisationID, entry.Actor.ID)
		if err != nil {
			return err
		}
		if err := s.mayChangeMode(now, entry.OrganisationID); err != nil {
			return err
		}
		var before string
		was := tx.Raw("/* org.reportingMode */ select reporting_mode from organisations where id = ? for no key update", entry.OrganisationID).Scan(&before)
		if was.Error != nil {
			return fmt.Errorf("org: reporting mode: %w", was.Error)
		}
		if was.RowsAffected == 0 {
			return errOrganisationNotFound
		}
		if before == string(mode) {
			return nil
		}
		err = tx.Exec("/* org.setReportingMode */ update organisations set reporting_mode = ? where id = ?", mode, entry.OrganisationID).Error
		if err != nil {
			return fmt.Errorf("org: set the reporting mode: %w", err)
		}
		entry.Details = map[string]any{"from": before, "to": string(mode)}
		return s.log.AppendIn(tx, entry)
	})
}
