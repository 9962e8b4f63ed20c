package reports

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/web/ui"
)

// DownloadPlays answers GET /reports/:fork/plays.csv with the file that the API exports, or the
// same for Excel.
func (h *Handler) DownloadPlays(c *fiber.Ctx, p *ui.Principal) error {
	fork, err := h.forkOf(c, p, authz.ExportReport)
	if err != nil {
		return err
	}
	in, err := parseParams(c)
	if err != nil {
		return err
	}
	period, err := in.parsePeriod(h.Today())
	if err != nil {
		return apperr.New(apperr.Validation, "%s", err.Error())
	}
	format, err := playsFormatOf(c)
	if err != nil {
		return err
	}
	ui.ReleasePlace(c)
	export, err := h.Exports.Open(c.UserContext(), c, exports.Request{
		Query:   queryOf(p, fork, period, in.Group),
		Format:  format,
		Slug:    fork.Slug,
		Actor:   p.AuditActor(),
		Request: apikeys.RequestOf(c, c.Path()),
		Recheck: h.Recheck(p, authz.ExportReport),
	})
	if err == nil {
		defer export.Close()
		err = authorizeGroup(p, authz.ExportReport, export.Header)
	}
	if err == nil {
		err = h.Exports.Send(c, export)
	}
	return groupError(err)
}
