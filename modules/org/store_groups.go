package org

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// maxGroups is how many groups can be chosen of.
const maxGroups = 500

type groupRow struct {
	ID    string
	OrgID string
	Name  string
}

func (groupRow) TableName() string { return "player_groups" }

// Groups returns at most 500 groups of the organisation by name, including the chosen one if the
// organisation has it.
func (s *Service) Groups(ctx context.Context, organisationID, chosen string) ([]Group, error) {
	listed := s.groups(ctx, organisationID).
		Where("id in (?)", s.groups(ctx, organisationID).Select("id").Limit(maxGroups))
	if input.IsID(chosen) {
		listed = listed.Or("id = ?", chosen)
	}
	return find(listed)
}

const (
	maxSearchedGroups = 10_000
	maxFoundGroups    = 50
)

// FindGroups returns at most 50 groups of the organisation whose name contains the text, by name,
// and whether there are more. Case and accents make no difference. It searches the first 10,000.
func (s *Service) FindGroups(
	ctx context.Context, organisationID, text string,
) (found []Group, more bool, _ error) {
	rows, err := s.groups(ctx, organisationID).Select("id, org_id, name").Limit(maxSearchedGroups).
		Rows()
	if err != nil {
		return nil, false, fmt.Errorf("org: find groups: %w", err)
	}
	defer func() { _ = rows.Close() }()
	text = input.Fold(text)
	for !more && rows.Next() {
		var g Group
		if err := rows.Scan(&g.ID, &g.OrganisationID, &g.Name); err != nil {
			return nil, false, fmt.Errorf("org: find groups: %w", err)
		}
		if !strings.Contains(input.Fold(g.Name), text) {
			continue
		}
		if more = len(found) == maxFoundGroups; !more {
			found = append(found, g)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, false, fmt.Errorf("org: find groups: %w", err)
	}
	return found, more, nil
}

// GroupPage returns a page of all groups of the organisation by name, or the nearest page that
// exists, and how many groups there are.
func (s *Service) GroupPage(
	ctx context.Context, organisationID string, page, size int,
) (_ []Group, all int, _ error) {
	var total int64
	if err := s.groups(ctx, organisationID).Count(&total).Error; err != nil {
		return nil, 0, fmt.Errorf("org: groups: %w", err)
	}
	page = max(1, min(page, (int(total)+size-1)/size))
	listed, err := find(s.groups(ctx, organisationID).Offset((page - 1) * size).Limit(size))
	return listed, int(total), err
}

// groups are the organisation's, by name.
func (s *Service) groups(ctx context.Context, organisationID string) *gorm.DB {
	return s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.groups"), tenant.Scope(organisationID)).Model(&groupRow{}).
		Order("name, id")
}

func find(groups *gorm.DB) ([]Group, error) {
	var rows []groupRow
	if err := groups.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("org: groups: %w", err)
	}
	found := make([]Group, len(rows))
	for i, r := range rows {
		found[i] = Group{ID: r.ID, OrganisationID: r.OrgID, Name: r.Name}
	}
	return found, nil
}
