package organisation

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/org"
	"dg/web/ui"
)

type groupList struct {
	ui.Pager
	Search     string
	Searchable bool // whether to show the search: there are many groups, or a search is active
	More       bool // whether the search finds more groups than Rows contains
	Rows       []org.CountedGroup
}

const (
	groupsPerPage   = 25
	searchThreshold = 20 // up to this many groups, there is no search
)

func (h *Handler) loadGroups(c *fiber.Ctx, p *ui.Principal, path string) (groupList, error) {
	l := groupList{Search: apikeys.Redact(strings.TrimSpace(strings.ToValidUTF8(c.Query("q"), "\uFFFD")))}
	var total int
	var err error
	if l.Search != "" {
		l.Rows, l.More, err = h.Orgs.FindGroups(c.UserContext(), p.Organisation.ID, l.Search)
	} else {
		l.Rows, total, err = h.Orgs.GroupPage(c.UserContext(), p.Organisation.ID,
			ui.PageOf(c.Query("page")), groupsPerPage)
	}
	if err != nil {
		return groupList{}, err
	}
	owner := func(g org.CountedGroup) string { return g.OrganisationID }
	if err := ui.AuthorizeAll(p, org.ReadOrganisation, l.Rows, owner); err != nil {
		return groupList{}, err
	}
	l.Searchable = l.Search != "" || total > searchThreshold
	l.Pager = ui.NewPager(c.Query("page"), total, groupsPerPage, func(page int) string {
		return path + "?page=" + strconv.Itoa(page) + "#groups"
	})
	return l, nil
}
