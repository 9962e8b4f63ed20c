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
	KeysPath                       string
	Languages                      []language
	Start                          []startStep
	PHP                            command // an export, for those whose first idea would not notice that it broke
	Recipes                        []recipe
	Operations                     reference
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
		Languages: languages, Recipes: recipes, Operations: h.reference,
		RateLimit: apikeys.MaxRequests, RateWindow: apikeys.RateWindow, MaxDays: reports.MaxPeriodDays,
		Concurrency: concurrencyLimits{
			Reports: reports.MaxReportsOfOrganisation, LargeReports: reports.MaxLargeReportsOfOrganisation, LargeReport: localeOf(c).Count(reports.LargeReport),
			Exports: exports.MaxAtOnce, ExportsOfOrganisation: exports.MaxAtOnceOfOrganisation, ExportsOfKey: exports.MaxAtOnceOfActor,
			WaitSeconds: int(limiter.Wait.Seconds()),
		},
	}
	if settings := view.Settings(); settings != "" {
		view.KeysPath = settings
	}
	var err error
	if view.Start, err = h.startSteps(view.examples); err != nil {
		return err
	}
	php, err := recipeFiles.ReadFile("recipes/start/csv.php")
	if err != nil {
		return err
	}
	view.PHP = command{ID: "csv-php", Label: "Save its plays as CSV, PHP", Text: view.fill(php)}
	view.Sidebar = &sidebar{Label: "On this page", Headed: true, Links: []link{
		{Name: "Get a key", Path: "#key"}, {Name: "Quickstart", Path: "#start"}, {Name: "Recipes", Path: "#recipes"},
		{Name: "Periods and groups", Path: "#periods"}, {Name: "Privacy", Path: "#privacy"}, {Name: "CSV columns", Path: "#columns"},
		{Name: "Errors", Path: "#errors"}, {Name: "Limits", Path: "#limits"}, {Name: "Over HTTP", Path: "#http"},
		{Name: "Reference", Path: "#reference"}, {Name: "Changes", Path: "#changes"},
	}}
	return h.render(c, fiber.StatusOK, "docs", &view)
}
