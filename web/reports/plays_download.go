package reports

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/format"
	"dg/web/ui"
)

// DownloadPlays handles GET /reports/:fork/plays.csv.
func (h *Handler) DownloadPlays(c *fiber.Ctx, p *ui.Principal) error {
	fork, err := h.forkOf(c, p, reports.ExportReport)
	if err != nil {
		return err
	}
	u, err := parsePageURL(c, "")
	if err != nil {
		return err
	}
	period, err := u.period(h.Today())
	if err != nil {
		return err
	}
	dialect, known := format.Dialects[u.Param("format")]
	if !known {
		return apperr.NewField("format", "The format is unknown. Choose one under “Download”.")
	}
	export, err := h.Exports.Open(c, exports.Request{
		Query: queryOf(p, fork, period, u), Dialect: dialect, Slug: fork.Slug, Actor: p.AuditActor(),
		Request: apikeys.AuditRequest(c, c.Path()), Recheck: h.AccessCheck(p, reports.ExportReport),
	})
	if err != nil {
		return groupError(err)
	}
	defer export.Close()
	if err := authorizeGroup(p, reports.ExportReport, export.Header); err != nil {
		return groupError(err)
	}
	return groupError(export.Send(c))
}
