package web

import (
	"cmp"
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

	// These re-check who may have a running download, on a connection that no flood of requests takes; nil: the ones above.
	RecheckIdentity *identity.Service
	RecheckOrgs     *org.Service
}

// Site serves the screens.
type Handler struct {
	Modules
	auth      Authenticator
	base      string // how the outside reaches the program, without a last slash
	now       func() time.Time
	templates *template.Template
	files     files
}

// New returns the screens as they are reached at baseURL.
func New(m Modules, baseURL string, now func() time.Time) (*Handler, error) {
	m.RecheckIdentity, m.RecheckOrgs = cmp.Or(m.RecheckIdentity, m.Identity), cmp.Or(m.RecheckOrgs, m.Orgs)
	s := &Handler{Modules: m, auth: cookies{m.Identity, m.RecheckIdentity}, base: baseURL, now: now}
	var err error
	if s.files, err = loadFiles(); err != nil {
		return nil, err
	}
	s.templates, err = s.loadTemplates()
	return s, err
}

// Mount adds the screens to app, after the API, whose guard refuses keys here.
func (h *Handler) Mount(app *fiber.App) {
	app.Get("/static/*", h.serveFile)
	site := routes{app, []fiber.Handler{h.headers, rejectCrossOrigin, nameRequest}}
	site.Get("/", h.home)
	h.mountSignIn(site)
	h.mountAccount(site)
	h.mountDocs(site)
	organisation := site.Group("/o/:org")
	h.mountReports(organisation)
	h.mountKeys(organisation)
	h.mountAuditLog(organisation)
	h.mountOrganisation(organisation)
	for _, screen := range []string{"/reports", settingsPath, "/settings/organisation", "/settings/api-keys/new", "/settings/audit-log"} {
		site.Get(screen, h.findOrganisation)
	}
	site.Get("/settings", func(c *fiber.Ctx) error { return h.toOrganisation(c, settingsPath) })
}

// settingsPath is the first of the settings.
const settingsPath = "/settings/api-keys"

// home leads to what the reader came for.
func (h *Handler) home(c *fiber.Ctx) error { return h.toOrganisation(c, "/reports") }

// findOrganisation leads from a screen's path without an organisation to that of the reader's.
func (h *Handler) findOrganisation(c *fiber.Ctx) error { return h.toOrganisation(c, c.Path()) }

// organisationsView is what a person sees who belongs to several organisations, or to none.
type organisationsView struct {
	layout
	Choices []organisationChoice
}

type organisationChoice struct{ Name, Role, Path string }

func (h *Handler) toOrganisation(c *fiber.Ctx, screen string) error {
	p, err := h.signedIn(c)
	if err != nil || p == nil {
		return err
	}
	places, err := h.memberships(c, p)
	if err != nil {
		return err
	}
	view := organisationsView{layout: h.layout(p, "Your organisations", areaNone)}
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
	return h.render(c, fiber.StatusOK, "organisations", &view)
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
