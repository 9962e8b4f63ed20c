package organisation

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/authz"
	"dg/web/ui"
)

// groupList is a page of the organisation's groups.
type groupList struct {
	ui.Pager
	Rows []groupRow
}

type groupRow struct {
	Name string
	ID   ui.Copyable
	Call ui.ApiCall // without a command where the organisation has no fork
}

const groupsPerPage = 100

// groupList lists the groups with their ids, and calls of the first fork.
func (h *Handler) groupList(c *fiber.Ctx, p *ui.Principal, path string) (groupList, error) {
	groups, all, err := h.Organisations.GroupPage(c.UserContext(), p.Organisation.ID, ui.PageOf(c),
		groupsPerPage)
	if err == nil {
		err = ui.AuthorizeAll(p, authz.ReadOrganisation, groups, func(g org.Group) string {
			return g.OrganisationID
		})
	}
	if err != nil {
		return groupList{}, err
	}
	forks, err := ui.ForksOf(c.UserContext(), h.Forks, p)
	if err != nil {
		return groupList{}, err
	}
	l := groupList{
		Pager: ui.NewPager(c, all, groupsPerPage, func(page int) string {
			return path + "?page=" + strconv.Itoa(page) + "#groups"
		}),
	}
	for i, g := range groups {
		number := strconv.Itoa(i)
		row := groupRow{
			Name: g.Name,
			ID:   ui.Copyable{ID: "group-id" + number, Text: g.ID, Name: "id of " + g.Name},
		}
		if len(forks) > 0 {
			row.Call = h.StatisticsCall(forks[0].ID, ui.LastDays(h.Today(), ui.DefaultDays), g.ID,
				number)
			row.Call.Command.Name = "command for " + g.Name
		}
		l.Rows = append(l.Rows, row)
	}
	return l, nil
}
