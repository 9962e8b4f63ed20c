package reports

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
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
	return groupError(h.Exports.Send(c, exports.Request{
		Query:   queryOf(p, fork, period, in.Group),
		Format:  format,
		Slug:    fork.Slug,
		Actor:   p.AuditActor(),
		Request: apikeys.RequestOf(c, c.Path()),
		Authorize: func(header reports.Header) error {
			return authorizeGroup(p, authz.ExportReport, header)
		},
		Recheck: h.Recheck(p, authz.ExportReport),
	}))
}
