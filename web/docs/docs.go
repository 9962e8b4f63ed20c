package docs

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/fairshare"
	"dg/web/ui"
)

// docsView is the page of the API.
type docsView struct {
	ui.Layout
	examples
	documentation
	KeysPath                       string
	RateLimit, RateWindow, MaxDays int
	Concurrency                    concurrencyLimits
}

// concurrencyLimits bound the expensive work of an organisation.
type concurrencyLimits struct {
	Reports, LargeReports, Exports, ExportsOfOrganisation, ExportsOfKey, WaitSeconds int
	// players
	LargeReport string
}

// Docs answers GET /docs.
func (h *Handler) Docs(c *fiber.Ctx, p *ui.Principal) error {
	view := docsView{
		Layout:        ui.NewLayout(p, "API", ui.AreaDocs),
		KeysPath:      ui.SettingsPath,
		examples:      h.examplesFor(c.UserContext(), p),
		documentation: h.documentation,
		RateLimit:     apikeys.MaxRequests,
		RateWindow:    apikeys.RateWindow,
		MaxDays:       reports.MaxPeriodDays,
		Concurrency: concurrencyLimits{
			Reports:               reports.MaxReportsOfOrganisation,
			LargeReports:          reports.MaxLargeReportsOfOrganisation,
			LargeReport:           ui.LocaleOf(c).Count(reports.LargeReport),
			Exports:               exports.MaxAtOnce,
			ExportsOfOrganisation: exports.MaxAtOnceOfOrganisation,
			ExportsOfKey:          exports.MaxAtOnceOfActor,
			WaitSeconds:           int(fairshare.Wait.Seconds()),
		},
	}
	if settings := view.Settings(); settings != "" {
		view.KeysPath = settings
	}
	view.Sidebar = &ui.Sidebar{Label: "On this page", Headed: true, Links: view.Sections}
	return h.Render(c, fiber.StatusOK, "docs", &view)
}

// Security answers GET /docs/security.
func (h *Handler) Security(c *fiber.Ctx, p *ui.Principal) error {
	view := ui.NewLayout(p, "Security", ui.AreaDocs)
	view.Sidebar = &ui.Sidebar{Label: "On this page", Headed: true, Links: h.documentation.Security}
	return h.Render(c, fiber.StatusOK, "security", &view)
}

// Changes answers GET /docs/changes: what callers see, by date.
func (h *Handler) Changes(c *fiber.Ctx, p *ui.Principal) error {
	view := ui.NewLayout(p, "Changes", ui.AreaDocs)
	return h.Render(c, fiber.StatusOK, "changes", &view)
}

// Clients answers GET /docs/clients: clients to generate, each with a first program.
func (h *Handler) Clients(c *fiber.Ctx, p *ui.Principal) error {
	view := recipesView{
		Layout:   ui.NewLayout(p, "Generated clients", ui.AreaDocs),
		examples: h.examplesFor(c.UserContext(), p),
	}
	return h.Render(c, fiber.StatusOK, "clients", &view)
}
