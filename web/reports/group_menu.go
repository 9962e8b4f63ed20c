package reports

import (
	"context"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/web/ui"
)

// groupMenu selects the group of a report.
type groupMenu struct {
	pageURL
	Groups       []org.Group
	ListedGroups int    // org.MaxGroups if there may be more groups; 0: all are listed
	GroupName    string // "": all players
	// groupPlayers has the number of players of each group whose report k-anonymity does not hide; nil: unknown.
	groupPlayers map[string]int64
}

func (h *Handler) groupMenuOf(ctx context.Context, p *ui.Principal, u pageURL) (groupMenu, error) {
	groups, err := h.GroupsOf(ctx, p, reports.ReadReport, u.Param("groupId"))
	if err != nil {
		return groupMenu{}, err
	}
	menu := groupMenu{pageURL: u, Groups: groups}
	if len(groups) >= org.MaxGroups {
		menu.ListedGroups = org.MaxGroups
	}
	for _, g := range groups {
		if g.ID == u.Param("groupId") {
			menu.GroupName = g.Name
		}
	}
	return menu, nil
}

// Played says how many members of a group played, or that the group is hidden; "": unknown.
func (m groupMenu) Played(groupID string) string {
	switch n := m.groupPlayers[groupID]; {
	case m.groupPlayers == nil:
		return ""
	case n == 0:
		return "Hidden"
	default:
		return ui.Count(n) + " players"
	}
}
