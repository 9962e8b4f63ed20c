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

func (s *Site) mountDocs(router routes) {
	router.Get("/docs", s.anyone(s.docs))
	router.Get("/docs/reference", s.anyone(s.reference))
}

// anyone makes a handler of one for everybody; its visit is nil where nobody is signed in. The documentation must be
// readable when the database is not, so that failing to find out counts as nobody.
func (s *Site) anyone(handle func(*fiber.Ctx, *visit) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		v, err := s.visitorOf(c)
		if err == nil && v != nil {
			_, err = s.placesOf(c, v)
		}
		if err != nil {
			v = nil
		}
		return handle(c, v)
	}
}

// docsView is the API's page.
type docsView struct {
	shell
	KeysPath                       string
	Start                          []command
	RateLimit, RateWindow, MaxDays int
	AtOnce                         workAtOnce
}

// workAtOnce are the limits of expensive work of an organisation.
type workAtOnce struct {
	Reports, LargeReports, Exports, ExportsOfOrganisation, ExportsOfKey, WaitSeconds int
	LargeReport                                                                      string // players
}

// command is an example to copy.
type command struct {
	Number int
	Intro  template.HTML
	Text   string
}

// quickstart is what to type, with the address of this service and the last 28 days.
func (s *Site) quickstart() []command {
	today := s.now().UTC()
	period := fmt.Sprintf("-d from=%s -d to=%s", today.AddDate(0, 0, -27).Format(time.DateOnly), today.Format(time.DateOnly))
	const key = `-H "Authorization: Bearer $DG_KEY"`
	return []command{
		{1, "Put your key into a variable, so that it does not stay in the history of your shell. Paste it after this command; it is not shown:",
			"read -rs DG_KEY"},
		{2, "List your forks and take an <code>id</code> from the answer:",
			"curl -sS " + s.base + "/api/v1/forks \\\n  " + key},
		{3, "Read the statistics of one fork over a period:",
			"FORK=0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40\ncurl -sS -G \"" + s.base + "/api/v1/forks/$FORK/stats\" \\\n  " + period + " \\\n  " + key},
		{4, "Save every play of the period as CSV, one row each:",
			"curl -sS -G --fail -o plays.csv \\\n  \"" + s.base + "/api/v1/forks/$FORK/exports/csv\" \\\n  " + period + " \\\n  " + key},
	}
}

// docs answers GET /docs.
func (s *Site) docs(c *fiber.Ctx, v *visit) error {
	view := docsView{
		shell: s.shell(v, "API", areaDocs), KeysPath: "/settings/api-keys", Start: s.quickstart(),
		RateLimit: apikeys.MaxRequests, RateWindow: apikeys.RateWindow, MaxDays: reports.MaxPeriodDays,
		AtOnce: workAtOnce{
			Reports: reports.MaxReportsOfOrganisation, LargeReports: reports.MaxLargeReportsOfOrganisation, LargeReport: count(reports.LargeReport),
			Exports: exports.MaxAtOnce, ExportsOfOrganisation: exports.MaxAtOnceOfOrganisation, ExportsOfKey: exports.MaxAtOnceOfActor,
			WaitSeconds: int(limiter.Wait.Seconds()),
		},
	}
	if settings := view.Settings(); settings != "" {
		view.KeysPath = settings
	}
	view.Rail = &rail{Label: "On this page", Headed: true, Links: []railLink{
		{Name: "Quickstart", Path: "#start"}, {Name: "Get a key", Path: "#key"}, {Name: "Periods and groups", Path: "#periods"},
		{Name: "Privacy", Path: "#privacy"}, {Name: "CSV columns", Path: "#columns"}, {Name: "Errors", Path: "#errors"},
		{Name: "Limits", Path: "#limits"}, {Name: "Over HTTP", Path: "#http"}, {Name: "Reference", Path: "#reference"},
	}}
	return s.show(c, fiber.StatusOK, "docs", &view)
}

// referencePolicy is contentPolicy with the pictures that swagger-ui's stylesheet has in it.
var referencePolicy = strings.Replace(contentPolicy, "img-src 'self'", "img-src 'self' data:", 1)

// reference answers GET /docs/reference: the OpenAPI document in swagger-ui (static/swagger: swagger-ui-dist 5.35.0,
// unchanged, Apache-2.0), which is part of the program.
func (s *Site) reference(c *fiber.Ctx, v *visit) error {
	c.Set(fiber.HeaderContentSecurityPolicy, referencePolicy)
	return s.show(c, fiber.StatusOK, "reference", &docsView{shell: s.shell(v, "API reference", areaDocs)})
}
