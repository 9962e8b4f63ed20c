package org

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

const (
	// MaxGroups bounds the groups that Groups lists, besides the chosen one.
	MaxGroups         = 500
	maxSearchedGroups = 10_000 // groups that FindGroups searches, the first by name
	maxFoundGroups    = 50     // groups that FindGroups returns
)

// Groups returns the first MaxGroups groups by name, and the group with chosenID if not empty.
func (s *Service) Groups(
	ctx context.Context, organisationID, chosenID string,
) (groups []Group, _ error) {
	query := s.selectGroups(ctx, organisationID).
		Where("id in (?)", s.selectGroups(ctx, organisationID).Select("id").Limit(MaxGroups))
	if input.IsID(chosenID) {
		query = query.Or("id = ?", chosenID)
	}
	err := query.Find(&groups).Error
	return groups, apperr.Annotate(err, "org: groups")
}

// FindGroups returns at most maxFoundGroups groups whose name contains the text, ignoring case and
// accents, ordered by name. It searches the first maxSearchedGroups groups. more reports whether
// further ones of these match.
func (s *Service) FindGroups(
	ctx context.Context, organisationID, text string,
) (groups []CountedGroup, more bool, _ error) {
	var searched []CountedGroup
	err := s.scanCountedGroups(ctx, organisationID, 0, maxSearchedGroups, &searched)
	text = input.Fold(text)
	for _, g := range searched {
		if !strings.Contains(input.Fold(g.Name), text) {
			continue
		}
		if len(groups) == maxFoundGroups {
			more = true
			break
		}
		groups = append(groups, g)
	}
	return groups, more, apperr.Annotate(err, "org: find groups")
}

// GroupPage returns a page of the organisation's groups by name, or the nearest page that exists.
// The first page is 1. total is the number of groups on all pages.
func (s *Service) GroupPage(
	ctx context.Context, organisationID string, page, size int,
) (groups []CountedGroup, total int, _ error) {
	var count int64
	if err := s.selectGroups(ctx, organisationID).Count(&count).Error; err != nil {
		return nil, 0, fmt.Errorf("org: groups: %w", err)
	}
	page = max(1, min(page, (int(count)+size-1)/size))
	err := s.scanCountedGroups(ctx, organisationID, (page-1)*size, size, &groups)
	return groups, int(count), apperr.Annotate(err, "org: groups")
}

// naturalOrder sorts by the text before the first number, then by the number: Team 2 before Team 10.
const naturalOrder = `substring(name from '^[^0-9]*'),
	substring(name from '[0-9]+')::numeric nulls first, name, id`

const countedGroupsSQL = `/* org.countedGroups */
	select *, (select count(*) from group_members m
	  where m.org_id = player_groups.org_id and m.group_id = player_groups.id) as members
	from player_groups where org_id = @org order by ` + naturalOrder + ` offset @offset limit @limit`

func (s *Service) scanCountedGroups(
	ctx context.Context, organisationID string, offset, limit int, groups *[]CountedGroup,
) error {
	return tenant.Raw(s.db.Gorm.WithContext(ctx), organisationID, countedGroupsSQL,
		sql.Named("offset", offset), sql.Named("limit", limit)).Scan(groups).Error
}

func (s *Service) selectGroups(ctx context.Context, organisationID string) *gorm.DB {
	return s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.groups"), tenant.Scope(organisationID)).Model(&Group{}).
		Order(naturalOrder)
}
