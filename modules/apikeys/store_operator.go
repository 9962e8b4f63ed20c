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

// RevokedIDs returns the ids of the organisation's keys whose revocation has come, for the
// operator's list.
func RevokedIDs(
	ctx context.Context, db *postgres.DB, organisationID string,
) (ids []string, err error) {
	err = keys(db.Gorm.WithContext(ctx), "apikeys.revokedIDs", organisationID).
		Where("revoked_at <= clock_timestamp()").Order("id").Pluck("id", &ids).Error
	return ids, apperr.Annotate(err, "apikeys: revoked ids")
}

// RevokeAgain revokes at once the organisation's keys with one of the ids, or all if there is no
// list, and returns how many were not revoked. It is the operator's, after a restore: the pool
// connects as the owner of the tables. The revocations and their audit entries commit together.
func RevokeAgain(
	ctx context.Context, db *postgres.DB, log *audit.Log, organisationID string, ids []string,
	request audit.Request,
) (revoked int, err error) {
	var rows []keyRow
	err = db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		open := keys(tx, "apikeys.revokeAgain", organisationID).
			Where("revoked_at is null or revoked_at > clock_timestamp()")
		if ids != nil {
			open = open.Where("id in (select unnest(?::text[]))", &ids)
		}
		err := open.Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}, {Name: "name"}}}).Model(&rows).
			Update("revoked_at", gorm.Expr("date_trunc('milliseconds', clock_timestamp())")).Error
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
