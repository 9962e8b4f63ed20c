package audit

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// CountBefore counts the entries of the organisation's log from before an instant.
func (l *Log) CountBefore(
	ctx context.Context, organisationID string, before time.Time,
) (entries int64, err error) {
	if err := l.entries(ctx, organisationID, "audit.countBefore").Where("at < ?", before).
		Count(&entries).Error; err != nil {
		return 0, fmt.Errorf("audit: count: %w", err)
	}
	return entries, nil
}

// Prune removes the entries of the organisation's log from before an instant, and adds an entry, in
// one transaction. It fails if their number is not exported. The pool connects as the owner of the
// tables.
func (l *Log) Prune(
	ctx context.Context, organisationID string, before time.Time, exported int64, request Request,
) error {
	return l.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		removed := tx.Scopes(postgres.Tag("audit.prune"), tenant.Scope(organisationID)).
			Where("at < ?", before).Delete(&entryRow{})
		if removed.Error != nil {
			return fmt.Errorf("audit: prune: %w", removed.Error)
		}
		if removed.RowsAffected != exported {
			return fmt.Errorf(
				"audit: %d entries were exported and %d are there: nothing of this log was removed",
				exported, removed.RowsAffected,
			)
		}
		return l.AppendIn(tx, Entry{
			OrganisationID: organisationID, Actor: TheOperator, Action: LogPruned, Request: request,
			Target:  Target{Kind: "organisation", ID: organisationID},
			Details: map[string]any{"before": before.Format(time.DateOnly), "entries": exported},
		})
	})
}
