package org

import (
	"context"
	"fmt"
)

func (s *Service) groups(ctx context.Context, organisationID, chosen string) ([]Group, error) {
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
