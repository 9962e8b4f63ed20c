package web

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/web/ui"
)

// organisationsView lists the organisations of a person who does not belong to exactly one.
type organisationsView struct {
	ui.Layout
	Choices []organisationChoice
}

type organisationChoice struct{ Name, Role, Path string }

// chooseOrganisation redirects from a path without an organisation to that screen of the person's
// organisation, or lists several to choose from.
func (h *Handler) chooseOrganisation(screen string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.guard.SignedIn(c)
		if err != nil {
			return err
		}
		memberships, err := h.guard.Memberships(c, p)
		if err != nil {
			return err
		}
		view := organisationsView{Layout: ui.NewLayout(p, "Your organisations", ui.AreaNone)}
		for _, m := range memberships {
			path := ui.OrganisationPath(m.Organisation.Slug) + screen
			if m.Role == org.RoleMember {
				path = ui.WithParam("/account", "org", m.Organisation.Slug) // the only screen of members
			}
			view.Choices = append(view.Choices,
				organisationChoice{m.Organisation.Name, ui.Label(m.Role), path})
		}
		if len(view.Choices) == 1 {
			return c.Redirect(view.Choices[0].Path, fiber.StatusSeeOther)
		}
		return h.Render(c, fiber.StatusOK, "organisations", &view)
	}
}
