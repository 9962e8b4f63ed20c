package auditlog

import (
	"embed"

	"dg/platform/limit"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the audit log of an organisation.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Modules
	settings  ui.SettingsNotices
	downloads *limit.Limiter
}

// Modules are what the wing uses of other modules.
type Modules struct {
	Log    AuditLog
	Keys   ui.KeyLister
	Forks  ui.ForkLister
	Groups ui.GroupLister
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, settings ui.SettingsNotices, m Modules) *Handler {
	downloads := limit.New(limit.Options{
		Max:    maxLogDownloads,
		PerKey: maxLogDownloads / 2,
		Busy:   "Too many downloads of audit logs are running.",
	})
	return &Handler{pages.With(templates), guard, m, settings, downloads}
}

// Downloads bounds the downloads of logs.
func (h *Handler) Downloads() *limit.Limiter { return h.downloads }
