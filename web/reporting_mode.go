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
	mode := org.ReportingMode(formValue(c, "mode"))
	err := h.Orgs.SetReportingMode(c.UserContext(), actor, mode, apikeys.RequestOf(c, c.Path()))
	if apperr.Is(err, apperr.Validation) {
		return h.renderReportingMode(c, p, fiber.StatusBadRequest, apperr.From(err).Message)
	}
	if err != nil {
		return err
	}
	say(c, modeNotice(p.Organisation.ReportingMode, mode))
	return c.Redirect(p.path("/settings/organisation"), fiber.StatusSeeOther)
}

// modeNotice says what became of the reporting mode.
func modeNotice(before, after org.ReportingMode) notice {
	switch {
	case before == after:
		return notice{Strong: "Nothing was changed.", Before: " The reporting mode is the same."}
	case after == org.Nominative:
		return notice{Strong: "Reporting mode changed.", Before: " Reports, exports and the API now show names."}
	}
	return notice{Strong: "Reporting mode changed.", Before: " Reports, exports and the API no longer show names."}
}
