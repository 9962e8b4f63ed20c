package web

import (
	"dg/platform/limiter"

	"dg/web/ui"
)

// auditlogHandler serves the audit log of an organisation.
type auditlogHandler struct {
	*ui.Pages
	*ui.Guard
	AuditlogModules
	settings  ui.SettingsNotices
	downloads *limiter.Limiter
}

// AuditlogModules are what the wing uses of other modules.
type AuditlogModules struct {
	Log    AuditLog
	Keys   KeyList
	Forks  ui.ForkList
	Groups GroupNames
}

// newAuditlog returns the wing.
func newAuditlog(pages *ui.Pages, guard *ui.Guard, settings ui.SettingsNotices, m AuditlogModules) (*auditlogHandler, error) {
	downloads := limiter.New(limiter.Limits{Places: maxLogDownloads, Busy: "Too many downloads of audit logs are running."})
	return &auditlogHandler{pages, guard, m, settings, downloads}, nil
}

// Downloads bounds the downloads of logs.
func (h *auditlogHandler) Downloads() *limiter.Limiter { return h.downloads }
