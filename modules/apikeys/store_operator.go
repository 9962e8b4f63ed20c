package apikeys

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// RevokedIDs returns the ids of the organisation's revoked keys, for the operator's list.
func RevokedIDs(
	ctx context.Context, db *postgres.DB, organisationID string,
) (ids []string, err error) {
	err = keys(db.Gorm.WithContext(ctx), "apikeys.revokedIDs", organisationID).
		Not(unrevokedAt, databaseNow).Order("id").Pluck("id", &ids).Error
	return ids, apperr.Annotate(err, "apikeys: revoked ids")
}

// RevokeAgain revokes keys that a restored backup has revived: those with the ids, or all for nil.
// It returns the number of keys that were not revoked before. The revocations and their audit entries
// commit together. The pool connects as the owner of the tables.
func RevokeAgain(
	ctx context.Context, db *postgres.DB, log *audit.Log, organisationID string, ids []string,
	request audit.Request,
) (revoked int, err error) {
	var rows []Key
	err = db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		open := keys(tx, "apikeys.revokeAgain", organisationID).Where(unrevokedAt, databaseNow)
		if ids != nil {
			open = open.Where("id in (select unnest(?::text[]))", &ids)
		}
		named := clause.Returning{Columns: []clause.Column{{Name: "id"}, {Name: "name"}}}
		err := open.Clauses(named).Model(&rows).Update("revoked_at", databaseMillisecond).Error
		if err != nil {
			return fmt.Errorf("apikeys: revoke again: %w", err)
		}
		for _, r := range rows {
			if err := log.AppendIn(tx, audit.Entry{
				OrganisationID: organisationID, Actor: audit.TheOperator, Action: audit.KeyRevoked,
				Target:  audit.Target{Kind: "api_key", ID: r.ID},
				Details: map[string]any{"name": r.Name}, Request: request,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return len(rows), err
}
