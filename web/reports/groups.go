package reports

import (
	"context"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/web/ui"
)

// groupChoice is a group to choose, and whether k-anonymity hides its figures of the period.
type groupChoice struct {
	ui.Link
	Hidden bool
	id     string
}

// hintTimeout bounds what a report can do without: the marks of hidden groups, and its warning.
const hintTimeout = 300 * time.Millisecond

// addGroups lists the groups, the chosen one included.
func (h *Handler) addGroups(
	c *fiber.Ctx, p *ui.Principal, view *dashboardView, at address,
) error {
	groups, err := ui.GroupsOf(c.UserContext(), h.Groups, p, authz.ReadReport, view.GroupID)
	if err != nil {
		return err
	}
	if len(groups) >= org.MaxGroups {
		view.ListedGroups = org.MaxGroups
	}
	for _, g := range groups {
		link := ui.Link{
			Name: g.Name, Path: at.path("groupId", g.ID), Current: g.ID == view.GroupID,
		}
		view.Groups = append(view.Groups, groupChoice{Link: link, id: g.ID})
		if link.Current {
			view.GroupName = g.Name
		}
	}
	return nil
}

// markHiddenGroups marks the hidden groups in time or not at all.
func (h *Handler) markHiddenGroups(c *fiber.Ctx, view *dashboardView, q reports.Query) {
	if len(view.Groups) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(c.UserContext(), hintTimeout)
	defer stop()
	shown, err := h.Reports.ShownGroups(ctx, q)
	for i, g := range view.Groups {
		view.Groups[i].Hidden = err == nil && !slices.Contains(shown, g.id)
	}
}
