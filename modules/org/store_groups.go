package org

import (
	"context"
	"fmt"
)

// maxGroups is how many groups are listed.
const maxGroups = 500

// Groups returns at most 500 groups of the organisation by name, and always the chosen one where the organisation has it.
func (s *Service) Groups(ctx context.Context, organisationID, chosen string) ([]Group, error) {
	if !IsID(chosen) {
		chosen = ""
	}
	var groups []Group
	err := s.db.Gorm.WithContext(ctx).Raw(`/* org.groups */
		(select id::text as id, name from player_groups where org_id = ? order by name, id limit ?)
		union
		select id::text, name from player_groups where org_id = ? and id::text = ?
		order by name, id`, organisationID, maxGroups, organisationID, chosen).Scan(&groups).Error
	if err != nil {
		return nil, fmt.Errorf("org: groups: %w", err)
	}
	return groups, nil
}

// GroupOwner returns the id of the organisation that owns the group. It is deliberately not scoped to an organisation: the use
// of another organisation's group is audited as such. Errors: apperr.NotFound.
func (s *Service) GroupOwner(ctx context.Context, groupID string) (string, error) {
	if !IsID(groupID) {
		return "", errGroupNotFound
	}
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
