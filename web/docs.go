package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/limiter"
)

// docsView is the page of the API.
type docsView struct {
	layout
	KeysPath                       string
	Start                          []command
	RateLimit, RateWindow, MaxDays int
	Concurrency                    concurrencyLimits
}

// concurrencyLimits bound the expensive work of an organisation.
type concurrencyLimits struct {
	Reports, LargeReports, Exports, ExportsOfOrganisation, ExportsOfKey, WaitSeconds int
	LargeReport                                                                      string // players
}

// command is an example to copy.
type command struct {
	Number int
	Intro  template.HTML
	Text   string
}

// quickstart returns the first commands, with the address of this service and the last 28 days.
func (h *Handler) quickstart() []command {
	today := h.now().UTC()
	period := fmt.Sprintf("-d from=%s -d to=%s", today.AddDate(0, 0, -27).Format(time.DateOnly), today.Format(time.DateOnly))
	const key = `-H "Authorization: Bearer $DG_KEY"`
	return []command{
		{1, "Read your key into a variable, so that it stays out of your shell history. Paste it after this command; it is not shown:",
			"read -rs DG_KEY"},
		{2, "List your forks and take an <code>id</code> from the response:",
			"curl -sS " + h.base + "/api/v1/forks \\\n  " + key},
		{3, "Read the statistics of one fork over a period:",
			"FORK=0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40\ncurl -sS -G \"" + h.base + "/api/v1/forks/$FORK/stats\" \\\n  " + period + " \\\n  " + key},
		{4, "Save every play of the period as CSV, one row each:",
			"curl -sS -G --fail -o plays.csv \\\n  \"" + h.base + "/api/v1/forks/$FORK/exports/csv\" \\\n  " + period + " \\\n  " + key},
	}
}

// docs answers GET /docs.
func (h *Handler) docs(c *fiber.Ctx, p *principal) error {
	view := docsView{
		layout: newLayout(p, "API", areaDocs), KeysPath: "/settings/api-keys", Start: h.quickstart(),
		RateLimit: apikeys.MaxRequests, RateWindow: apikeys.RateWindow, MaxDays: reports.MaxPeriodDays,
		Concurrency: concurrencyLimits{
			Reports: reports.MaxReportsOfOrganisation, LargeReports: reports.MaxLargeReportsOfOrganisation, LargeReport: count(reports.LargeReport),
			Exports: exports.MaxAtOnce, ExportsOfOrganisation: exports.MaxAtOnceOfOrganisation, ExportsOfKey: exports.MaxAtOnceOfActor,
			WaitSeconds: int(limiter.Wait.Seconds()),
		},
	}
	if settings := view.Settings(); settings != "" {
		view.KeysPath = settings
	}
	view.Sidebar = &sidebar{Label: "On this page", Headed: true, Links: []link{
		{Name: "Quickstart", Path: "#start"}, {Name: "Get a key", Path: "#key"}, {Name: "Periods and groups", Path: "#periods"},
		{Name: "Privacy", Path: "#privacy"}, {Name: "CSV columns", Path: "#columns"}, {Name: "Errors", Path: "#errors"},
		{Name: "Limits", Path: "#limits"}, {Name: "Over HTTP", Path: "#http"}, {Name: "Reference", Path: "#reference"},
	}}
	return h.render(c, fiber.StatusOK, "docs", &view)
}

// referencePolicy is contentPolicy with the inline images of swagger-ui's stylesheet.
var referencePolicy = strings.Replace(contentPolicy, "img-src 'self'", "img-src 'self' data:", 1)

// reference answers GET /docs/reference: the OpenAPI document in swagger-ui (static/swagger: swagger-ui-dist 5.35.0,
// unchanged, Apache-2.0), which is part of the program.
func (h *Handler) reference(c *fiber.Ctx, p *principal) error {
	c.Set(fiber.HeaderContentSecurityPolicy, referencePolicy)
	return h.render(c, fiber.StatusOK, "reference", &docsView{layout: newLayout(p, "API reference", areaDocs)})
}
