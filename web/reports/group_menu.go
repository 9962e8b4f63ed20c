package reports

import (
	"context"
	"slices"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/web/ui"
)

// groupMenu is the menu of the report's group.
type groupMenu struct {
	pageURL
	Groups        []org.Group
	ListedGroups  int      // org.MaxGroups if there may be more groups than that; else 0
	GroupName     string   // "": all players
	shownGroupIDs []string // groups whose report k-anonymity does not hide; nil: unknown
}

func (h *Handler) groupMenuOf(ctx context.Context, p *ui.Principal, at pageURL) (groupMenu, error) {
	groups, err := h.GroupsOf(ctx, p, reports.ReadReport, at.Param("groupId"))
	if err != nil {
		return groupMenu{}, err
	}
	menu := groupMenu{pageURL: at, Groups: groups}
	if len(groups) >= org.MaxGroups {
		menu.ListedGroups = org.MaxGroups
	}
	for _, g := range groups {
		if g.ID == at.Param("groupId") {
			menu.GroupName = g.Name
		}
	}
	return menu, nil
}

func (m groupMenu) Hidden(groupID string) bool {
	return m.shownGroupIDs != nil && !slices.Contains(m.shownGroupIDs, groupID)
}
