package organisation

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the settings of an organisation, except its keys and audit log.
type Handler struct{ ui.Base }

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates)} }

type organisationView struct {
	ui.Layout
	Path       string
	Plan, Mode string
	ChangeMode string // path of the form, or "" if the person may not change the mode
	Members    []memberRow
	TwoStep    string // a sentence with the number of listed members who use two-step verification
	Unlisted   string // a sentence with the number of members who are not listed, or ""
	Groups     groupList
}

type memberRow struct {
	Name, Email, Role string
	TwoStep           bool
	TwoStepSince      *time.Time
	rank              int // owners have the rank 0, admins 1, members 2
}

// Organisation handles GET /settings/organisation.
func (h *Handler) Organisation(c *fiber.Ctx, p *ui.Principal) error {
	o := p.Organisation
	view := organisationView{
		Layout: ui.Layout{Title: "Organisation"},
		Path:   p.Path("/settings/organisation"),
		Plan:   ui.Capitalise(o.Plan),
		Mode:   ui.Capitalise(o.ReportingMode),
	}
	if p.May(org.ChangeReportingMode) {
		view.ChangeMode = p.Path("/settings/organisation/reporting-mode")
	}
	var err error
	if err := h.addMembers(c.UserContext(), p, &view); err != nil {
		return err
	}
	if view.Groups, err = h.loadGroups(c, p, view.Path); err != nil {
		return err
	}
	return h.RenderSettings(c, p, fiber.StatusOK, "organisation", &view)
}

func (h *Handler) addMembers(ctx context.Context, p *ui.Principal, view *organisationView) error {
	members, total, err := h.Orgs.Members(ctx, p.Organisation.ID)
	if err != nil {
		return err
	}
	owner := func(m org.Member) string { return m.OrganisationID }
	if err := ui.AuthorizeAll(p, org.ReadOrganisation, members, owner); err != nil {
		return err
	}
	roles := map[string]org.Role{} // by person
	for _, m := range members {
		roles[m.PersonID] = m.Role
	}
	people, err := h.Identity.People(ctx, slices.Collect(maps.Keys(roles)))
	if err != nil {
		return err
	}
	twoStepCount := int64(0)
	for _, m := range people {
		rank := slices.Index([]org.Role{org.RoleOwner, org.RoleAdmin, org.RoleMember}, roles[m.ID])
		view.Members = append(view.Members,
			memberRow{m.Name, m.Email, ui.Capitalise(roles[m.ID]), m.TwoStep, m.TwoStepSince, rank})
		if m.TwoStep {
			twoStepCount++
		}
	}
	slices.SortStableFunc(view.Members, func(a, b memberRow) int {
		return cmp.Or(a.rank-b.rank, strings.Compare(a.Name, b.Name))
	})
	qualifier := ""
	if total > len(members) {
		qualifier = "listed "
		view.Unlisted = ui.Plural(int64(total-len(members)), "%s more member is not listed.",
			"%s more members are not listed.")
	}
	view.TwoStep = fmt.Sprintf("Two-step verification is on for %s of %s %smembers.",
		ui.Count(twoStepCount), ui.Count(int64(len(view.Members))), qualifier)
	return nil
}
