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

// ChosenGroup is the name of the group that the report is on, or "".
func (v *dashboardView) ChosenGroup() string {
	for _, g := range v.Groups {
		if g.ID == v.Params.Group {
			return g.Name
		}
	}
	return ""
}

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

// findsGroup reports whether the address has the name of a group instead of its id.
func findsGroup(c *fiber.Ctx) bool { return c.Context().QueryArgs().Has("find") }

// findGroup leads to the report on the group with the name in the address, or lists those whose
// names contain it.
func (h *Handler) findGroup(c *fiber.Ctx, p *ui.Principal, fork games.Fork, in params) error {
	self := p.Path("/reports/" + fork.ID)
	text := enteredText(c.Query("find"))
	path := func(group string) string {
		fixed := slices.DeleteFunc([]param{{"from", in.From}, {"to", in.To}, {"groupId", group}},
			func(p param) bool { return p.Value == "" })
		return newListAddress(c, self, fixed...).path("")
	}
	if text == "" {
		return c.Redirect(path(""), fiber.StatusSeeOther)
	}
	groups, more, err := h.Groups.FindGroups(c.UserContext(), p.Organisation.ID, text)
	if err == nil {
		err = ui.AuthorizeGroups(p, authz.ReadReport, groups)
	}
	if err != nil {
		return err
	}
	if id := meantGroup(groups, text, in.Group); id != "" {
		return c.Redirect(path(id), fiber.StatusSeeOther)
	}
	view := &groupsView{
		Layout: ui.NewLayout(p, "Choose a group", ui.AreaReports),
		Fork:   fork.Title,
		Back:   path(in.Group),
		Search: text,
		More:   more,
	}
	view.Kept = newListAddress(c, self, param{"from", in.From}, param{"to", in.To}).kept()
	view.GroupIDsPath = p.Path("/settings/organisation#groups")
	for _, g := range groups {
		view.Groups = append(view.Groups, groupLink{g.Name, g.ID, path(g.ID)})
	}
	return h.Render(c, fiber.StatusOK, "groups", view)
}

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
