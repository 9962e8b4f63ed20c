package web

import (
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/authz"
)

func (s *Site) mountOrganisation(router routes) {
	router.Get("/settings/organisation", s.member(authz.ReadOrganisation, s.showOrganisation))
	s.mountReportingMode(router)
}

// organisationView is the organisation's plan, reporting mode and members.
type organisationView struct {
	shell
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

func (s *Site) showOrganisation(c *fiber.Ctx, v *visit) error {
	o := v.Organisation
	view := organisationView{
		Name: o.Name, Plan: planNames[o.Plan], IncludesAPI: o.Plan.IncludesAPI(),
		Mode: modeWords[o.ReportingMode], Nominative: o.ReportingMode == org.Nominative,
	}
	if v.may(authz.ChangeReportingMode) {
		view.ChangeMode = v.path("/settings/organisation/reporting-mode")
	}
	var err error
	if view.shell, err = s.settingsShell(c, v, "Organisation", "organisation"); err != nil {
		return err
	}
	if err := s.addMembers(c, v, &view); err != nil {
		return err
	}
	return s.show(c, fiber.StatusOK, "organisation", &view)
}

// addMembers lists the members, owners first and then by name.
func (s *Site) addMembers(c *fiber.Ctx, v *visit, view *organisationView) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	members, all, err := s.Orgs.Members(ctx, v.Organisation.ID)
	if err != nil {
		return err
	}
	ids, roles := make([]string, len(members)), map[string]org.Role{}
	for i, m := range members {
		ids[i], roles[m.PersonID] = m.PersonID, m.Role
	}
	people, err := s.Identity.People(ctx, ids)
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
