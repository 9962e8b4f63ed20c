package web

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/org"
	"dg/platform/apperr"
)

// reportingModeView is the form that changes the reporting mode.
type reportingModeView struct {
	layout
	Path, Back string
	Nominative bool
	Error      string // or ""
}

// reportingModeForm answers GET /settings/organisation/reporting-mode.
func (h *Handler) reportingModeForm(c *fiber.Ctx, p *principal) error {
	return h.renderReportingMode(c, p, fiber.StatusOK, "")
}

func (h *Handler) renderReportingMode(c *fiber.Ctx, p *principal, status int, message string) error {
	view := reportingModeView{
		Path: p.path("/settings/organisation/reporting-mode"), Back: p.path("/settings/organisation"),
		Nominative: p.Organisation.ReportingMode == org.Nominative, Error: message,
	}
	var err error
	if view.layout, err = h.settingsLayout(c, p, titleOf("Change reporting mode", status), "organisation"); err != nil {
		return err
	}
	return h.render(c, status, "reporting-mode", &view)
}

// changeReportingMode answers POST /settings/organisation/reporting-mode.
func (h *Handler) changeReportingMode(c *fiber.Ctx, p *principal) error {
	actor := org.Actor{Person: p.auditActor(), Subject: p.subject()}
	err := h.Orgs.SetReportingMode(c.UserContext(), actor, org.ReportingMode(formValue(c, "mode")), apikeys.RequestOf(c, c.Path()))
	if apperr.Is(err, apperr.Validation) {
		return h.renderReportingMode(c, p, fiber.StatusBadRequest, apperr.From(err).Message)
	}
	if err != nil {
		return err
	}
	return c.Redirect(p.path("/settings/organisation"), fiber.StatusSeeOther)
}
