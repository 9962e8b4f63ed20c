package organisation

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/authz"
	"dg/web/ui"
)

// groupList is a page of the organisation's groups, or those that a search finds.
type groupList struct {
	ui.Pager
	Search     string
	Searchable bool // whether there are more groups than one glance finds
	More       bool // whether the search finds more than are listed
	Rows       []org.CountedGroup
}

const (
	groupsPerPage = 25
	fewGroups     = 20 // need no search
)

// groupList lists the groups with their ids.
func (h *Handler) groupList(c *fiber.Ctx, p *ui.Principal, path string) (groupList, error) {
	l := groupList{Search: strings.TrimSpace(strings.ToValidUTF8(c.Query("q"), "\uFFFD"))}
	var all int
	var err error
	if l.Search != "" {
		l.Rows, l.More, err = h.Organisations.FindGroups(c.UserContext(), p.Organisation.ID,
			l.Search)
	} else {
		l.Rows, all, err = h.Organisations.GroupPage(c.UserContext(), p.Organisation.ID,
			ui.PageOf(c.Query("page")), groupsPerPage)
	}
	if err == nil {
		err = ui.AuthorizeAll(p, authz.ReadOrganisation, l.Rows, func(g org.CountedGroup) string {
			return g.OrganisationID
		})
	}
	if err != nil {
		return groupList{}, err
	}
	l.Searchable = l.Search != "" || all > fewGroups
	l.Pager = ui.NewPager(c.Query("page"), all, groupsPerPage, func(page int) string {
		return path + "?page=" + strconv.Itoa(page) + "#groups"
	})
	return l, nil
}
