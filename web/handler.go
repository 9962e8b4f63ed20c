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

// Modules are the services that the screens use.
type Modules struct {
	Identity *identity.Service
	Keys     *apikeys.Service
	Games    *games.Service
	Reports  *reports.Service
	Exports  *exports.Service
	Orgs     *org.Service
	Log      *audit.Log
	Policy   *authz.Policy

	// RecheckIdentity and RecheckOrgs re-check the access of running downloads, on a connection that a flood of requests cannot
	// take. nil: Identity and Orgs do.
	RecheckIdentity *identity.Service
	RecheckOrgs     *org.Service
}

// Handler serves the screens.
type Handler struct {
	Modules
	auth      Authenticator
	base      string // the public URL, without a trailing slash
	now       func() time.Time
	templates *template.Template
	files     files
}

// New returns the screens as they are reached at baseURL.
func New(m Modules, baseURL string, now func() time.Time) (*Handler, error) {
	m.RecheckIdentity, m.RecheckOrgs = cmp.Or(m.RecheckIdentity, m.Identity), cmp.Or(m.RecheckOrgs, m.Orgs)
	h := &Handler{Modules: m, auth: cookies{m.Identity, m.RecheckIdentity}, base: baseURL, now: now}
	var err error
	if h.files, err = loadFiles(); err != nil {
		return nil, err
	}
	h.templates, err = h.loadTemplates()
	return h, err
}

// today is the UTC day.
func (h *Handler) today() time.Time { return h.now().UTC().Truncate(oneDay) }

const oneDay = 24 * time.Hour

// organisationPath is the prefix of an organisation's screens. A slug is any text, so it is escaped.
func organisationPath(slug string) string { return "/o/" + url.PathEscape(slug) }

// localPath returns next if it is a path of this site, otherwise "/". It refuses what a browser could read as another host
// ("//", "/\", also after decoding); url.Parse refuses control characters.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, `/\`) {
		return "/"
	}
	return next
}

// formValue is a field of the submitted form. It reads the body alone: addresses end up in histories, logs and links of others.
func formValue(c *fiber.Ctx, name string) string { return string(c.Context().PostArgs().Peek(name)) }
