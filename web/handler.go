package web

import (
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
	Guard        ui.Guard
	Account      account.Service // for Mount alone
	AuditLog     auditlog.Modules
	Keys         keys.Keys
	Organisation organisation.Modules
	Reports      reports.Modules
	Docs         docs.Modules    // for Mount alone
	Requests     *limit.Requests // of an organisation. The API shares it.
}

// Handler serves the screens.
type Handler struct {
	*ui.Pages
	guard        *ui.Guard
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
	guard := &m.Guard
	pages := ui.NewPages(baseURL, now)
	h := &Handler{Pages: pages.With(templates), guard: guard, requests: m.Requests}
	h.account = account.New(pages, guard, m.Account)
	h.keys = keys.New(pages, guard, m.Keys)
	h.auditlog = auditlog.New(pages, guard, h.keys.ExpiringKeys, m.AuditLog)
	h.organisation = organisation.New(pages, guard, h.keys.ExpiringKeys, m.Organisation)
	h.reports = reports.New(pages, guard, m.Reports)
	h.docs = docs.New(pages, m.Docs)
	return h
}
