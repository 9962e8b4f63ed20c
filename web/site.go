package web

import (
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
)

// Modules are what the screens stand on.
type Modules struct {
	Identity *identity.Service
	Keys     *apikeys.Service
	Games    *games.Service
	Reports  *reports.Service
	Exports  *exports.Service
	Orgs     *org.Service
	Log      *audit.Log
	Policy   *authz.Policy
}

// Site serves the screens.
type Site struct {
	Modules
	visitors  Visitors
	base      string // how the outside reaches the program, without a last slash
	now       func() time.Time
	templates *template.Template
	files     files
}

// New returns the screens as they are reached at baseURL.
func New(m Modules, baseURL string, now func() time.Time) (*Site, error) {
	s := &Site{Modules: m, visitors: cookies{m.Identity}, base: baseURL, now: now}
	var err error
	if s.files, err = loadFiles(); err != nil {
		return nil, err
	}
	s.templates, err = s.loadTemplates()
	return s, err
}

// Mount adds the screens to app, after the API, whose guard refuses keys here.
func (s *Site) Mount(app *fiber.App) {
	app.Get("/static/*", s.serveFile)
	site := routes{app, []fiber.Handler{s.headers, rejectCrossOrigin, nameRequest}}
	site.Get("/", s.home)
	s.mountSignIn(site)
	s.mountAccount(site)
	s.mountDocs(site)
	organisation := site.Group("/o/:org")
	s.mountReports(organisation)
	s.mountKeys(organisation)
	s.mountAuditLog(organisation)
	s.mountOrganisation(organisation)
	for _, screen := range []string{"/reports", settingsPath, "/settings/organisation", "/settings/api-keys/new", "/settings/audit-log"} {
		site.Get(screen, s.findOrganisation)
	}
	site.Get("/settings", func(c *fiber.Ctx) error { return s.toOrganisation(c, settingsPath) })
}

// settingsPath is the first of the settings.
const settingsPath = "/settings/api-keys"

// home leads to what the reader came for.
func (s *Site) home(c *fiber.Ctx) error { return s.toOrganisation(c, "/reports") }

// findOrganisation leads from a screen's path without an organisation to that of the reader's.
func (s *Site) findOrganisation(c *fiber.Ctx) error { return s.toOrganisation(c, c.Path()) }

// organisationsView is what a person sees who belongs to several organisations, or to none.
type organisationsView struct {
	shell
	Choices []organisationChoice
}

type organisationChoice struct{ Name, Role, Path string }

func (s *Site) toOrganisation(c *fiber.Ctx, screen string) error {
	v, err := s.signedIn(c)
	if err != nil || v == nil {
		return err
	}
	places, err := s.placesOf(c, v)
	if err != nil {
		return err
	}
	view := organisationsView{shell: s.shell(v, "Your organisations", areaNone)}
	for _, m := range places {
		path := organisationPath(m.Organisation.Slug) + screen
		if m.Role == org.RoleMember {
			path = "/account" // all that members have
		}
		view.Choices = append(view.Choices, organisationChoice{m.Organisation.Name, roleNames[m.Role], path})
	}
	if len(view.Choices) == 1 {
		return c.Redirect(view.Choices[0].Path, fiber.StatusSeeOther)
	}
	return s.show(c, fiber.StatusOK, "organisations", &view)
}

// organisationPath is where an organisation's screens are. A slug is any text: it is escaped.
func organisationPath(slug string) string { return "/o/" + url.PathEscape(slug) }

// localPath returns next when it is a path of this site, and otherwise "/". What a browser could read as another host
// ("//", "/\", also when it is decoded first) is none, and neither is what holds control characters: Parse refuses them.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, `/\`) {
		return "/"
	}
	return next
}
