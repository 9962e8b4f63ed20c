package web

import (
	"cmp"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/limiter"
)

// Modules are what the screens use of other modules.
type Modules struct {
	Identity Identity
	Keys     Keys
	Games    Forks
	Reports  Reports
	Exports  Exports
	Orgs     Organisations
	Log      AuditLog
	Policy   Policy
	Auth     Authenticator // nil: sessions of Identity, by cookie

	Document []byte // the OpenAPI document, for the reference; nil: none

	// RecheckIdentity and RecheckOrgs re-check the access of running downloads, on a connection that a flood of requests cannot
	// take. nil: Identity and Orgs do.
	RecheckIdentity Sessions
	RecheckOrgs     Memberships
}

// Handler serves the screens.
type Handler struct {
	Modules
	auth      Authenticator
	base      string // the public URL, without a trailing slash
	now       func() time.Time
	templates *template.Template
	files     files
	downloads *limiter.Limiter // of audit logs
	screenTurns
	reference reference
}

// Limiters are what bounds the work of screens, by the name of the work.
func (h *Handler) Limiters() map[string]*limiter.Limiter {
	return map[string]*limiter.Limiter{"audit_log_downloads": h.downloads, "report_screens": h.reading, "settings_screens": h.settings}
}

// New returns the screens as they are reached at baseURL.
func New(m Modules, baseURL string, now func() time.Time) (*Handler, error) {
	m.RecheckIdentity, m.RecheckOrgs = cmp.Or[Sessions](m.RecheckIdentity, m.Identity), cmp.Or[Memberships](m.RecheckOrgs, m.Orgs)
	h := &Handler{Modules: m, auth: cmp.Or[Authenticator](m.Auth, cookies{m.Identity, m.RecheckIdentity}), base: baseURL, now: now}
	h.downloads = limiter.New(limiter.Limits{Places: maxLogDownloads, Busy: "Too many downloads of audit logs are running."})
	h.screenTurns = newScreenTurns()
	var err error
	if h.files, err = loadFiles(); err != nil {
		return nil, err
	}
	if h.reference, err = newReference(m.Document); err != nil {
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
