package web

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/platform/authz"
	"dg/web/ui"
)

// Mount adds the screens to app, after the API, whose guard refuses keys here.
func (h *Handler) Mount(app *fiber.App) {
	h.MountOrganisation(app)
	r := h.routes(app)
	r.Get("/docs", h.anyone(h.docs.Docs))
	r.Get("/docs/recipes", h.anyone(h.docs.Recipes))
	r.Get("/docs/recipes/:recipe", h.anyone(h.docs.Recipe))
	r.Get("/docs/reference", h.anyone(h.docs.ShowReference))
	r.Get("/docs/reference/:operation", h.anyone(h.docs.ShowReference))
	r.Get("/docs/security", h.anyone(h.docs.Security))
	r.Get("/docs/changes", h.anyone(h.docs.Changes))
	r.Get("/docs/clients", h.anyone(h.docs.Clients))
	h.mountSignIn(r)
	h.mountAccount(r)

	r.Get("/", h.chooseOrganisation("/reports"))
	r.Get("/settings", h.chooseOrganisation(ui.SettingsPath))
	for _, screen := range []string{
		"/reports", ui.SettingsPath, "/settings/organisation", "/settings/api-keys/new",
		"/settings/audit-log",
	} {
		r.Get(screen, h.chooseOrganisation(screen))
	}
}

// MountOrganisation adds the screens of an organisation alone: reports, keys, audit log and
// settings. It is for a program with its own sign-in and accounts.
func (h *Handler) MountOrganisation(app *fiber.App) {
	app.Get("/static/*", h.ServeStatic)
	h.mountOrganisation(h.routes(app).Group("/o/:org"))
}

func (h *Handler) routes(app *fiber.App) routes {
	return routes{app, []fiber.Handler{h.handle, h.prepare, rejectCrossOrigin}}
}

func (h *Handler) mountSignIn(r routes) {
	r.Get("/sign-in", h.signIn.SignInForm)
	r.Post("/sign-in", h.signIn.SignIn)
	r.Get("/sign-in/code", h.signIn.CodeForm)
	r.Post("/sign-in/code", h.signIn.SecondStep)
	r.Post("/sign-out", h.signIn.SignOut)
	r.Get("/account/reset", h.signIn.ResetForm)
	r.Post("/account/reset", h.signIn.ResetPassword)
}

func (h *Handler) mountAccount(r routes) {
	r.Get("/account", h.person(h.account.Account))
	r.Post("/account", h.person(h.account.SignOutEverywhere))
	r.Get("/account/password", h.person(h.account.PasswordForm))
	r.Post("/account/password", h.person(h.account.ChangePassword))
	r.Get("/account/two-step", h.person(h.account.TwoStepForm))
	r.Post("/account/two-step", h.person(h.account.ChangeTwoStep))
	r.Get("/account/recovery-codes", h.person(h.account.RecoveryCodesForm))
	r.Post("/account/recovery-codes", h.person(h.account.ReplaceRecoveryCodes))
}

func (h *Handler) mountOrganisation(r routes) {
	r.Get("/reports", h.member(authz.ListForks, h.reports.ListReports))
	r.Get("/reports/:fork", h.member(authz.ReadReport, h.reports.Dashboard))
	r.Get("/reports/:fork/plays.csv", h.member(authz.ExportReport, h.reports.DownloadPlays))
	r.Get("/settings/api-keys", h.member(authz.ListKeys, h.keys.ListKeys))
	r.Get("/settings/api-keys/new", h.member(authz.CreateKey, h.keys.KeyForm))
	r.Post("/settings/api-keys/new", h.member(authz.CreateKey, h.keys.CreateKey))
	r.Get("/settings/api-keys/:key", h.member(authz.ListKeys, h.keys.ShowKey))
	r.Get("/settings/api-keys/:key/rename", h.member(authz.RenameKey, h.keys.RenameKeyForm))
	r.Post("/settings/api-keys/:key/rename", h.member(authz.RenameKey, h.keys.RenameKey))
	r.Get("/settings/api-keys/:key/replace", h.member(authz.ReplaceKey, h.keys.KeyForm))
	r.Post("/settings/api-keys/:key/replace", h.member(authz.ReplaceKey, h.keys.CreateKey))
	r.Get("/settings/api-keys/:key/revoke", h.member(authz.RevokeKey, h.keys.RevokeKeyForm))
	r.Post("/settings/api-keys/:key/revoke", h.member(authz.RevokeKey, h.keys.RevokeKey))
	r.Get("/settings/audit-log", h.member(authz.ReadAuditLog, h.auditlog.AuditLog))
	r.Get("/settings/audit-log.csv", h.member(authz.ReadAuditLog, h.auditlog.DownloadAuditLog))
	r.Get("/settings/organisation", h.member(authz.ReadOrganisation, h.organisation.Organisation))
	r.Get("/settings/organisation/reporting-mode",
		h.member(authz.ChangeReportingMode, h.organisation.ReportingModeForm))
	r.Post("/settings/organisation/reporting-mode",
		h.member(authz.ChangeReportingMode, h.organisation.ChangeReportingMode))
}

// routes adds screens below a path. Each route carries the middleware itself: middleware of a group
// would also run for requests that match no route, those inside /api/v1/ included.
type routes struct {
	router fiber.Router
	before []fiber.Handler
}

// Get adds a screen.
func (r routes) Get(path string, handle fiber.Handler) { r.router.Get(path, r.with(handle)...) }

// Post adds the target of a form.
func (r routes) Post(path string, handle fiber.Handler) { r.router.Post(path, r.with(handle)...) }

// Group returns the routes below a path.
func (r routes) Group(path string) routes { return routes{r.router.Group(path), r.before} }

func (r routes) with(handle fiber.Handler) []fiber.Handler {
	return append(slices.Clone(r.before), handle)
}
