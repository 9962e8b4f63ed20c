package web

import (
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/authz"
)

func (h *Handler) mountOrganisation(router routes) {
	router.Get("/settings/organisation", h.member(authz.ReadOrganisation, h.showOrganisation))
	h.mountReportingMode(router)
}

// organisationView is the organisation's plan, reporting mode and members.
type organisationView struct {
	layout
	Name, Plan  string
	IncludesAPI bool
	Mode        string
	Nominative  bool
	ChangeMode  string // path, or "" for whoever may not
	Members     []memberRow
	TwoStep     string // how many use it, in words
	Left        string // how many are not listed, or ""
}

type memberRow struct {
	Name, Email, Role string
	TwoStep           bool
	Since             *time.Time
}

// planNames are the plans in words.
var planNames = map[org.Plan]string{org.PlanFree: "Free", org.PlanTeam: "Team", org.PlanPro: "Pro", org.PlanEnterprise: "Enterprise"}

func (h *Handler) showOrganisation(c *fiber.Ctx, p *principal) error {
	o := p.Organisation
	view := organisationView{
		Name: o.Name, Plan: planNames[o.Plan], IncludesAPI: o.Plan.IncludesAPI(),
		Mode: modeLabels[o.ReportingMode], Nominative: o.ReportingMode == org.Nominative,
	}
	if p.may(authz.ChangeReportingMode) {
		view.ChangeMode = p.path("/settings/organisation/reporting-mode")
	}
	var err error
	if view.layout, err = h.settingsLayout(c, p, "Organisation", "organisation"); err != nil {
		return err
	}
	if err := h.addMembers(c, p, &view); err != nil {
		return err
	}
	return h.render(c, fiber.StatusOK, "organisation", &view)
}

// addMembers lists the members, owners first and then by name.
func (h *Handler) addMembers(c *fiber.Ctx, p *principal, view *organisationView) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	members, all, err := h.Orgs.Members(ctx, p.Organisation.ID)
	if err != nil {
		return err
	}
	ids, roles := make([]string, len(members)), map[string]org.Role{}
	for i, m := range members {
		ids[i], roles[m.PersonID] = m.PersonID, m.Role
	}
	people, err := h.Identity.People(ctx, ids)
	if err != nil {
		return err
	}
	users := 0
	for _, role := range []org.Role{org.RoleOwner, org.RoleAdmin, org.RoleMember} {
		first := len(view.Members)
		for _, p := range people {
			if roles[p.ID] != role {
				continue
			}
			view.Members = append(view.Members, memberRow{Name: p.Name, Email: p.Email, Role: roleNames[role], TwoStep: p.TwoStep, Since: p.TwoStepSince})
			if p.TwoStep {
				users++
			}
		}
		slices.SortStableFunc(view.Members[first:], func(a, b memberRow) int { return strings.Compare(a.Name, b.Name) })
	}
	view.TwoStep = count(int64(users)) + " of " + count(int64(len(view.Members)))
	if all > len(members) {
		view.TwoStep += " listed here"
		view.Left = count(int64(all - len(members)))
	}
	return nil
}
