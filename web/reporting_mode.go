package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
)

func (h *Handler) mountReportingMode(router routes) {
	router.Get("/settings/organisation/reporting-mode", h.member(authz.ChangeReportingMode, h.reportingModeForm))
	router.Post("/settings/organisation/reporting-mode", h.member(authz.ChangeReportingMode, h.changeReportingMode))
}

// reportingModeView is the form that changes the reporting mode.
type reportingModeView struct {
	layout
	Path, Back string
	Nominative bool   // whether it is chosen
	Error      string // or ""
}

func (h *Handler) reportingModeForm(c *fiber.Ctx, p *principal) error {
	return h.renderReportingMode(c, p, fiber.StatusOK, "")
}

func (h *Handler) renderReportingMode(c *fiber.Ctx, p *principal, status int, wrong string) error {
	view := reportingModeView{
		Path: p.path("/settings/organisation/reporting-mode"), Back: p.path("/settings/organisation"),
		Nominative: p.Organisation.ReportingMode == org.Nominative, Error: wrong,
	}
	var err error
	if view.layout, err = h.settingsLayout(c, p, titleOf("Change reporting mode", status), "organisation"); err != nil {
		return err
	}
	return h.render(c, status, "reporting-mode", &view)
}

// changeReportingMode does what the form asks for, and leads back to the organisation.
func (h *Handler) changeReportingMode(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	actor := org.Actor{Person: p.audited(), Subject: p.subject()}
	err := h.Orgs.SetReportingMode(ctx, actor, org.ReportingMode(formValue(c, "mode")), requestOf(c))
	if wrong, ok := errors.AsType[*apperr.Error](err); ok && wrong.Code == apperr.Validation {
		return h.renderReportingMode(c, p, fiber.StatusBadRequest, wrong.Message)
	}
	if err != nil {
		return err
	}
	return c.Redirect(p.path("/settings/organisation"), fiber.StatusSeeOther)
}
