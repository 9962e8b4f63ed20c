package web

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
)

// apiCall is a call of the API to copy: the ids in it, and the command.
type apiCall struct {
	Fork    copyable
	Group   copyable // its ID is "" without a group
	Command copyable
}

// copyable is a text with a button that copies it. ID is that of its element.
type copyable struct{ ID, Text, Name string }

// statisticsCall reads the statistics of a fork. The key is read from the environment, as in /docs. suffix tells the elements of
// several calls on a page apart.
func (h *Handler) statisticsCall(fork string, p reports.Period, group, suffix string) apiCall {
	call := apiCall{Fork: copyable{"fork-id" + suffix, fork, "fork id"}}
	text := "curl -sS -G '" + h.base + "/api/v1/forks/" + fork + "/stats' \\\n  -d from=" + p.Day(0) + " -d to=" + p.Day(p.Days-1)
	if group != "" {
		call.Group = copyable{"group-id" + suffix, group, "group id"}
		text += " -d groupId=" + group
	}
	call.Command = copyable{"command" + suffix, text + " \\\n  -H \"Authorization: Bearer $DG_KEY\"", "command"}
	return call
}

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
func (h *Handler) groupList(c *fiber.Ctx, p *principal, path string) (groupList, error) {
	groups, all, err := h.Orgs.GroupPage(c.UserContext(), p.Organisation.ID, pageOf(c), groupsPerPage)
	if err == nil {
		err = authorizeAll(p, authz.ReadOrganisation, groups, func(g org.Group) string { return g.OrganisationID })
	}
	if err != nil {
		return groupList{}, err
	}
	forks, err := h.forks(c.UserContext(), p)
	if err != nil {
		return groupList{}, err
	}
	l := groupList{pager: newPager(c, all, groupsPerPage, func(page int) string { return path + "?page=" + strconv.Itoa(page) + "#groups" })}
	for i, g := range groups {
		number := strconv.Itoa(i)
		row := groupRow{Name: g.Name, ID: copyable{"group-id" + number, g.ID, "id of " + g.Name}}
		if len(forks) > 0 {
			row.Call = h.statisticsCall(forks[0].ID, lastDays(h.today(), defaultDays), g.ID, number)
			row.Call.Command.Name = "command for " + g.Name
		}
		l.Rows = append(l.Rows, row)
	}
	return l, nil
}
