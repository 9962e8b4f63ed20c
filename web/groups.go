package web

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/authz"
)

// groupList is a page of the organisation's groups.
type groupList struct {
	pager
	Rows []groupRow
}

type groupRow struct {
	Name string
	ID   copyable
	Call apiCall // without a command where the organisation has no fork
}

const groupsPerPage = 100

// groupList lists the groups with their ids, and calls of the first fork.
func (h *organisationHandler) groupList(c *fiber.Ctx, p *principal, path string) (groupList, error) {
	groups, all, err := h.Organisations.GroupPage(c.UserContext(), p.Organisation.ID, pageOf(c), groupsPerPage)
	if err == nil {
		err = authorizeAll(p, authz.ReadOrganisation, groups, func(g org.Group) string { return g.OrganisationID })
	}
	if err != nil {
		return groupList{}, err
	}
	forks, err := forksOf(c.UserContext(), h.Forks, p)
	if err != nil {
		return groupList{}, err
	}
	l := groupList{pager: newPager(c, all, groupsPerPage, func(page int) string { return path + "?page=" + strconv.Itoa(page) + "#groups" })}
	for i, g := range groups {
		number := strconv.Itoa(i)
		row := groupRow{Name: g.Name, ID: copyable{"group-id" + number, g.ID, "id of " + g.Name}}
		if len(forks) > 0 {
			row.Call = h.StatisticsCall(forks[0].ID, lastDays(h.Today(), defaultDays), g.ID, number)
			row.Call.Command.Name = "command for " + g.Name
		}
		l.Rows = append(l.Rows, row)
	}
	return l, nil
}
