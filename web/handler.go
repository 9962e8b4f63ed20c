package web

import (
	"cmp"
	"time"

	"dg/platform/limiter"
)

// Modules are what the screens use of other modules.
type Modules struct {
	Identity Identity // keeps sessions, by cookie; nil: Auth is set
	Auth     Authenticator
	Orgs     Organisations
	Policy   Policy

	Account      AccountModules // for Mount alone
	AuditLog     AuditlogModules
	Keys         KeysModules
	Organisation OrganisationModules
	Reports      ReportsModules

	Document []byte // the OpenAPI document, for the reference; nil: none

	// RecheckIdentity and RecheckOrgs re-check the access of running downloads, on a connection that a flood of requests cannot
	// take. nil: Identity and Orgs do.
	RecheckIdentity Sessions
	RecheckOrgs     Memberships
}

// Handler serves the screens.
type Handler struct {
	*Pages
	guard        *Guard
	account      *accountHandler
	auditlog     *auditlogHandler
	keys         *keysHandler
	organisation *organisationHandler
	reports      *reportsHandler
	docsWing
	screenTurns
}

// Limiters are what bounds the work of screens, by the name of the work.
func (h *Handler) Limiters() map[string]*limiter.Limiter {
	return map[string]*limiter.Limiter{"audit_log_downloads": h.auditlog.Downloads(), "report_screens": h.reading, "settings_screens": h.screenTurns.settings}
}

// New returns the screens as they are reached at baseURL.
func New(m Modules, baseURL string, now func() time.Time) (*Handler, error) {
	pages, err := NewPages(baseURL, now)
	if err != nil {
		return nil, err
	}
	h := &Handler{Pages: pages, guard: newGuard(m), screenTurns: newScreenTurns()}
	if h.account, err = newAccount(pages, h.guard, m.Account); err != nil {
		return nil, err
	}
	if h.keys, err = newKeys(pages, h.guard, m.Keys); err != nil {
		return nil, err
	}
	settings := SettingsNotices(h.keys.expiringKeys)
	if h.auditlog, err = newAuditlog(pages, h.guard, settings, m.AuditLog); err != nil {
		return nil, err
	}
	if h.organisation, err = newOrganisation(pages, h.guard, settings, m.Organisation); err != nil {
		return nil, err
	}
	if h.reports, err = newReports(pages, h.guard, m.Reports); err != nil {
		return nil, err
	}
	h.docsWing, err = newDocsWing(m, baseURL)
	return h, err
}

func newGuard(m Modules) *Guard {
	g := &Guard{Auth: m.Auth, Orgs: m.Orgs, RecheckOrgs: cmp.Or[Memberships](m.RecheckOrgs, m.Orgs), Policy: m.Policy}
	if g.Auth == nil {
		g.Auth = Cookies{m.Identity, cmp.Or[Sessions](m.RecheckIdentity, m.Identity)}
		g.Drafts = Drafts{m.Identity}
	}
	return g
}
