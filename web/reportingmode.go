package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
)

func (s *Site) mountReportingMode(router routes) {
	router.Get("/settings/organisation/reporting-mode", s.member(authz.ChangeReportingMode, s.askReportingMode))
	router.Post("/settings/organisation/reporting-mode", s.member(authz.ChangeReportingMode, s.changeReportingMode))
}

// reportingModeView is the form that changes the reporting mode.
type reportingModeView struct {
	shell
	Path, Back string
	Nominative bool   // whether it is chosen
	Error      string // or ""
}

func (s *Site) askReportingMode(c *fiber.Ctx, v *visit) error {
	return s.showReportingMode(c, v, fiber.StatusOK, "")
}

func (s *Site) showReportingMode(c *fiber.Ctx, v *visit, status int, wrong string) error {
	view := reportingModeView{
		Path: v.path("/settings/organisation/reporting-mode"), Back: v.path("/settings/organisation"),
		Nominative: v.Organisation.ReportingMode == org.Nominative, Error: wrong,
	}
	var err error
	if view.shell, err = s.settingsShell(c, v, titleOf("Change reporting mode", status), "organisation"); err != nil {
		return err
	}
	return s.show(c, status, "reportingmode", &view)
}

// changeReportingMode does what the form asks for, and leads back to the organisation.
func (s *Site) changeReportingMode(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	actor := org.Actor{Person: v.audited(), Subject: v.subject()}
	err := s.Orgs.SetReportingMode(ctx, actor, org.ReportingMode(formValue(c, "mode")), requestOf(c))
	if wrong, ok := errors.AsType[*apperr.Error](err); ok && wrong.Code == apperr.Validation {
		return s.showReportingMode(c, v, fiber.StatusBadRequest, wrong.Message)
	}
	if err != nil {
		return err
	}
	return c.Redirect(v.path("/settings/organisation"), fiber.StatusSeeOther)
}
