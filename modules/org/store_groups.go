package org

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"dg/platform/postgres"
)

// maxGroups is how many groups are listed.
const maxGroups = 500

type groupRow struct {
	ID    string
	OrgID string
	Name  string
}

func (groupRow) TableName() string { return "player_groups" }

// Groups returns at most 500 groups of the organisation by name, and always the chosen one where the organisation has it.
func (s *Service) Groups(ctx context.Context, organisationID, chosen string) ([]Group, error) {
	groups := func() *gorm.DB {
		return s.db.Gorm.WithContext(ctx).Scopes(postgres.Tag("org.groups"), postgres.Tenant(organisationID)).Model(&groupRow{}).Order("name, id")
	}
	listed := groups().Where("id in (?)", groups().Select("id").Limit(maxGroups))
	if IsID(chosen) {
		listed = listed.Or("id = ?", chosen)
	}
	var rows []groupRow
	if err := listed.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("org: groups: %w", err)
	}
	found := make([]Group, len(rows))
	for i, r := range rows {
		found[i] = Group{ID: r.ID, OrganisationID: r.OrgID, Name: r.Name}
	}
	return found, nil
}

// GroupOwner returns the id of the organisation that owns the group. It is deliberately not scoped to an organisation: the use
// of another organisation's group is audited as such. Errors: apperr.NotFound.
func (s *Service) GroupOwner(ctx context.Context, groupID string) (string, error) {
	if !IsID(groupID) {
		return "", errGroupNotFound
	}
	var row groupRow
	err := s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.groupOwner"), postgres.AcrossTenants("the use of another organisation's group is audited as such")).
		Select("org_id").Where("id = ?", groupID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", errGroupNotFound
	}
	if err != nil {
		return "", fmt.Errorf("org: group owner: %w", err)
	}
	return row.OrgID, nil
}
