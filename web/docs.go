package web

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/limiter"
)

// docsView is the page of the API.
type docsView struct {
	layout
	examples
	documentation
	KeysPath                       string
	RateLimit, RateWindow, MaxDays int
	Concurrency                    concurrencyLimits
}

// concurrencyLimits bound the expensive work of an organisation.
type concurrencyLimits struct {
	Reports, LargeReports, Exports, ExportsOfOrganisation, ExportsOfKey, WaitSeconds int
	LargeReport                                                                      string // players
}

// docs answers GET /docs.
func (h *Handler) docs(c *fiber.Ctx, p *principal) error {
	view := docsView{
		layout: newLayout(p, "API", areaDocs), KeysPath: settingsPath, examples: h.examplesFor(c.UserContext(), p),
		documentation: h.documentation,
		RateLimit:     apikeys.MaxRequests, RateWindow: apikeys.RateWindow, MaxDays: reports.MaxPeriodDays,
		Concurrency: concurrencyLimits{
			Reports: reports.MaxReportsOfOrganisation, LargeReports: reports.MaxLargeReportsOfOrganisation, LargeReport: localeOf(c).Count(reports.LargeReport),
			Exports: exports.MaxAtOnce, ExportsOfOrganisation: exports.MaxAtOnceOfOrganisation, ExportsOfKey: exports.MaxAtOnceOfActor,
			WaitSeconds: int(limiter.Wait.Seconds()),
		},
	}
	if settings := view.Settings(); settings != "" {
		view.KeysPath = settings
	}
	view.Sidebar = &sidebar{Label: "On this page", Headed: true, Links: view.Sections}
	return h.render(c, fiber.StatusOK, "docs", &view)
}

// security answers GET /docs/security.
func (h *Handler) security(c *fiber.Ctx, p *principal) error {
	view := newLayout(p, "Security", areaDocs)
	return h.render(c, fiber.StatusOK, "security", &view)
}
