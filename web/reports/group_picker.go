package reports

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/modules/games"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/web/ui"
)

// fewGroups are chosen from a list; more are found by their name.
const fewGroups = 20

// FindsGroups reports whether a group is found by its name.
func (v *dashboardView) FindsGroups() bool { return len(v.Groups) > fewGroups }

// groupsView are the groups that a text may mean.
type groupsView struct {
	ui.Layout
	Fork, Back, Search string
	Kept               []param
	Groups             []groupLink
	More               bool // only the first matches are listed
	GroupIDsPath       string
}

type groupLink struct{ Name, ID, Path string }

// findGroup leads to the report on the group with the name in the address, or lists those whose
// names contain it.
func (h *Handler) findGroup(c *fiber.Ctx, p *ui.Principal, fork games.Fork, at address) error {
	text := at.query.Get("find")
	if text == "" {
		return c.Redirect(at.path("groupId", ""), fiber.StatusSeeOther)
	}
	groups, more, err := h.Groups.FindGroups(c.UserContext(), p.Organisation.ID, text)
	if err == nil {
		err = ui.AuthorizeGroups(p, authz.ReadReport, groups)
	}
	if err != nil {
		return err
	}
	if id := meantGroup(groups, text, at.query.Get("groupId")); id != "" {
		return c.Redirect(at.path("groupId", id), fiber.StatusSeeOther)
	}
	view := &groupsView{
		Layout:       ui.NewLayout(p, "Choose a group", ui.AreaReports),
		Fork:         fork.Title,
		Back:         at.path(),
		Search:       text,
		Kept:         at.fields("groupId"),
		More:         more,
		GroupIDsPath: p.Path(groupIDs),
	}
	for _, g := range groups {
		view.Groups = append(view.Groups, groupLink{g.Name, g.ID, at.path("groupId", g.ID)})
	}
	return h.Render(c, fiber.StatusOK, "groups", view)
}

// groupIDs is the list of all groups.
const groupIDs = "/settings/organisation#groups"

// meantGroup returns the one group that the text means, or "": the chosen one of that name, the
// only one, or the only one found.
func meantGroup(groups []org.Group, text, chosen string) string {
	named := slices.DeleteFunc(slices.Clone(groups), func(g org.Group) bool {
		return input.Fold(g.Name) != input.Fold(text)
	})
	switch {
	case slices.ContainsFunc(named, func(g org.Group) bool { return g.ID == chosen }):
		return chosen
	case len(named) == 1:
		return named[0].ID
	case len(groups) == 1:
		return groups[0].ID
	}
	return ""
}
