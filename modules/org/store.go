package org

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/platform/apperr"
)

var (
	errGroupNotFound        = apperr.New(apperr.NotFound, "There is no such group. Check groupId.")
	errOrganisationNotFound = apperr.New(apperr.NotFound, "There is no such organisation.")
)

type organisationRow struct {
	ID            string
	Slug          string
	Name          string
	Plan          string
	ReportingMode string
	Version       int64
}

func (r organisationRow) organisation() Organisation {
	return Organisation{ID: r.ID, Slug: r.Slug, Name: r.Name, Plan: Plan(r.Plan), ReportingMode: ReportingMode(r.ReportingMode), Version: r.Version}
}

// OrganisationIn reads an organisation in the caller's transaction.
// Errors: ErrNotFound.
func (s *Service) OrganisationIn(tx *gorm.DB, id string) (Organisation, error) {
	var row organisationRow
	found := tx.Raw("/* org.organisation */ select id, slug, name, plan, reporting_mode, version from organisations where id = ?", id).Scan(&row)
	if found.Error != nil {
		return Organisation{}, fmt.Errorf("org: organisation: %w", found.Error)
	}
	if found.RowsAffected == 0 {
		return Organisation{}, errOrganisationNotFound
	}
	return row.organisation(), nil
}

func (s *Service) groupOwner(ctx context.Context, groupID string) (string, error) {
	var owner string
	found := s.db.Gorm.WithContext(ctx).Raw("/* org.groupOwner */ select org_id from player_groups where id = ?", groupID).Scan(&owner)
	if found.Error != nil {
		return "", fmt.Errorf("org: group owner: %w", found.Error)
	}
	if found.RowsAffected == 0 {
		return "", errGroupNotFound
	}
	return owner, nil
}
