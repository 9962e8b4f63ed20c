package web

import (
	"cmp"
	"embed"
	"time"

	"dg/platform/limit"
	"dg/web/account"
	"dg/web/auditlog"
	"dg/web/docs"
	"dg/web/keys"
	"dg/web/organisation"
	"dg/web/reports"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Modules are what the screens use of other modules.
type Modules struct {
	// Sessions and Reauthenticator are the sign-in that comes with the screens, by cookie. nil: Auth
	// is set.
	Sessions        ui.Sessions
	Reauthenticator ui.Reauthenticator
	Auth            ui.Authenticator
	Orgs            ui.Organisations
	Policy          ui.Policy

	Account      account.Service // for Mount alone
	AuditLog     auditlog.Modules
	Keys         keys.Modules
	Organisation organisation.Modules
	Reports      reports.Modules
	Docs         docs.Modules // for Mount alone

	// Requests bounds the requests of an organisation. The API shares it.
	Requests *limit.Requests

	// RecheckSessions and RecheckOrgs re-check the access of running downloads, on a connection
	// that a flood of requests cannot take. nil: Sessions and Orgs do.
	RecheckSessions ui.Sessions
	RecheckOrgs     ui.Memberships
}

// Handler serves the screens.
type Handler struct {
	*ui.Pages
	guard        *ui.Guard
	signIn       *account.SignInHandler
	account      *account.Handler
	auditlog     *auditlog.Handler
	keys         *keys.Handler
	organisation *organisation.Handler
	reports      *reports.Handler
	docs         *docs.Handler
	requests     *limit.Requests
}

// Limiters are what bounds the work of screens, by the name of the work.
func (h *Handler) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"audit_log_downloads": h.auditlog.Downloads}
}

// New returns the screens as they are reached at baseURL.
func New(m Modules, baseURL string, now func() time.Time) *Handler {
	pages := ui.NewPages(baseURL, now)
	h := &Handler{Pages: pages.With(templates), guard: newGuard(m), requests: m.Requests}
	h.signIn, h.account = account.New(pages, h.guard, m.Account)
	h.keys = keys.New(pages, h.guard, m.Keys)
	h.auditlog = auditlog.New(pages, h.guard, h.keys.ExpiringKeys, m.AuditLog)
	h.organisation = organisation.New(pages, h.guard, h.keys.ExpiringKeys, m.Organisation)
	h.reports = reports.New(pages, h.guard, m.Reports)
	h.docs = docs.New(pages, m.Docs)
	return h
}

func newGuard(m Modules) *ui.Guard {
	g := &ui.Guard{
		Auth:        m.Auth,
		Orgs:        m.Orgs,
		RecheckOrgs: cmp.Or[ui.Memberships](m.RecheckOrgs, m.Orgs),
		Policy:      m.Policy,
	}
	if g.Auth == nil {
		g.Auth = ui.Cookies{
			Sessions:        m.Sessions,
			Reauthenticator: m.Reauthenticator,
			Recheck:         cmp.Or(m.RecheckSessions, m.Sessions),
		}
	}
	return g
}
