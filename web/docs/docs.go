package docs

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/limit"
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
	Reports, Exports, ExportsOfOrganisation, WaitSeconds int
}

// layout is the layout of a page. Its sidebar links to all pages and, for the current one, to its
// sections or the pages below it, of which one may be current.
func (h *Handler) layout(p *ui.Principal, title, page, current string) ui.Layout {
	l := ui.NewLayout(p, title, ui.AreaDocs)
	l.Sidebar = &ui.Sidebar{Label: "Documentation"}
	for _, link := range h.documentation.Pages {
		link.Current = link.Path == page
		link.Path = l.Docs(link.Path)
		l.Sidebar.Pages = append(l.Sidebar.Pages, link)
	}
	for _, link := range h.documentation.Sections[page] {
		link.Current = link.Path == current
		if !strings.HasPrefix(link.Path, "#") {
			link.Path = l.Docs(link.Path)
		}
		l.Sidebar.Links = append(l.Sidebar.Links, link)
	}
	return l
}

// Docs answers GET /docs.
func (h *Handler) Docs(c *fiber.Ctx, p *ui.Principal) error {
	view := docsView{
		Layout:        h.layout(p, "API", "", ""),
		KeysPath:      ui.SettingsPath,
		examples:      h.examplesFor(c.UserContext(), p),
		documentation: h.documentation,
		RateLimit:     apikeys.MaxRequests,
		RateWindow:    apikeys.RateWindow,
		MaxDays:       reports.MaxPeriodDays,
		Concurrency: concurrencyLimits{
			Reports:               reports.MaxReportsOfOrganisation,
			Exports:               exports.MaxAtOnce,
			ExportsOfOrganisation: exports.MaxAtOnceOfOrganisation,
			WaitSeconds:           int(limit.Wait.Seconds()),
		},
	}
	if settings := view.Settings(); settings != "" {
		view.KeysPath = settings
	}
	return h.Render(c, fiber.StatusOK, "docs", &view)
}

// Security answers GET /docs/security.
func (h *Handler) Security(c *fiber.Ctx, p *ui.Principal) error {
	view := h.layout(p, "Security", "/security", "")
	return h.Render(c, fiber.StatusOK, "security", &view)
}

// Changes answers GET /docs/changes: what callers see, by date.
func (h *Handler) Changes(c *fiber.Ctx, p *ui.Principal) error {
	view := h.layout(p, "Changes", "/changes", "")
	return h.Render(c, fiber.StatusOK, "changes", &view)
}

// Clients answers GET /docs/clients: clients to generate, each with a first program.
func (h *Handler) Clients(c *fiber.Ctx, p *ui.Principal) error {
	view := recipesView{
		Layout:   h.layout(p, "Generated clients", "/clients", ""),
		examples: h.examplesFor(c.UserContext(), p),
	}
	return h.Render(c, fiber.StatusOK, "clients", &view)
}
