package web

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/limit"
	"dg/web/ui"
)

// Screen is a row of the table of routes. Page serves GET and HEAD, Form serves POST.
type Screen struct {
	Path       string
	Page, Form fiber.Handler    // nil if there is none
	Surface    limit.Surface    // whose slots the requests take; limit.Screens if empty
	Permission authz.Permission // needed in the path's organisation; zero if the path has none
}

// handler serves a screen. Its principal may be nil on /docs only: see Services.FindReader.
type handler func(*fiber.Ctx, *ui.Principal) error

// Screens returns the table of routes. Mount adds the routes that choose an organisation.
func (h *Handler) Screens() []Screen {
	return slices.Concat(h.organisationScreens(), h.accountScreens(), h.docsScreens())
}

// Mount adds the screens and static files to app. Call it after publicapi.API.Mount, whose
// middleware refuses API keys on screens.
func (h *Handler) Mount(app *fiber.App) {
	app.Get("/static/*", h.ServeStatic)
	screens := append(h.Screens(),
		newScreen("/", h.RequireSignInWithMemberships, h.chooseOrganisation("/reports")),
		newScreen("/settings", h.RequireSignInWithMemberships, h.chooseOrganisation(ui.SettingsPath)))
	for _, s := range h.organisationScreens() {
		if path := strings.TrimPrefix(s.Path, "/o/:org"); !strings.ContainsAny(path, ":.") {
			screens = append(screens, newScreen(path, h.RequireSignInWithMemberships, h.chooseOrganisation(path)))
		}
	}
	for _, s := range screens {
		h.mount(app, s)
	}
}

// mount adds middleware to each route: a group's middleware would also run for unknown paths.
func (h *Handler) mount(app *fiber.App, s Screen) {
	prepare := h.prepare(cmp.Or(s.Surface, limit.Screens))
	if s.Page != nil {
		app.Get(s.Path, h.handle, prepare, rejectCrossOrigin, s.Page)
	}
	if s.Form != nil {
		app.Post(s.Path, h.handle, prepare, rejectCrossOrigin, s.Form)
	}
}

func (h *Handler) organisationScreens() []Screen {
	row := func(path string, permission authz.Permission, page handler, form ...handler) Screen {
		member := func(c *fiber.Ctx) (*ui.Principal, error) { return h.RequireMember(c, permission) }
		s := newScreen("/o/:org"+path, member, page, form...)
		s.Permission = permission
		if permission == apikeys.RevokeKey {
			s.Surface = limit.Revoke
		}
		return s
	}
	return []Screen{
		row("/reports", games.ListForks, h.reports.ListReports),
		row("/reports/:fork", reports.ReadReport, h.reports.Dashboard),
		row("/reports/:fork/players", reports.ReadReport, h.reports.Players),
		row("/reports/:fork/plays.csv", reports.ExportReport, h.reports.DownloadPlays),
		row("/settings/api-keys", apikeys.ListKeys, h.keys.ListKeys),
		row("/settings/api-keys/new", apikeys.CreateKey, h.keys.KeyForm, h.keys.CreateKey),
		row("/settings/api-keys/:key", apikeys.ListKeys, h.keys.OfKey(h.keys.ShowKey)),
		row("/settings/api-keys/:key/rename", apikeys.RenameKey,
			h.keys.OfKey(h.keys.RenameKeyForm), h.keys.OfKey(h.keys.RenameKey)),
		row("/settings/api-keys/:key/replace", apikeys.ReplaceKey, h.keys.KeyForm, h.keys.CreateKey),
		row("/settings/api-keys/:key/revoke", apikeys.RevokeKey,
			h.keys.OfKey(h.keys.RevokeKeyForm), h.keys.OfKey(h.keys.RevokeKey)),
		row("/settings/audit-log", audit.ReadAuditLog, h.auditlog.AuditLog),
		row("/settings/audit-log.csv", audit.ReadAuditLog, h.auditlog.DownloadAuditLog),
		row("/settings/organisation", org.ReadOrganisation, h.organisation.Organisation),
		row("/settings/organisation/reporting-mode", org.ChangeReportingMode,
			h.organisation.ReportingModeForm, h.organisation.ChangeReportingMode),
	}
}

func (h *Handler) accountScreens() []Screen {
	return []Screen{
		{Path: "/sign-in", Page: h.account.SignInForm, Form: h.account.SignIn, Surface: limit.Public},
		{Path: "/sign-in/code", Page: h.account.CodeForm, Form: h.account.VerifyCode},
		{Path: "/sign-out", Form: h.account.SignOut},
		{Path: "/.well-known/change-password", Page: h.account.WellKnownPassword},
		{Path: "/account/reset", Page: h.account.ResetForm, Form: h.account.ResetPassword},
		newScreen("/account", h.RequireSignInWithMemberships, h.account.Account, h.account.SignOutEverywhere),
		newScreen("/account/password", h.RequireSignInWithMemberships,
			h.account.PasswordForm, h.account.ChangePassword),
		newScreen("/account/two-step", h.RequireSignInWithMemberships,
			h.account.TwoStepForm, h.account.ChangeTwoStep),
		newScreen("/account/recovery-codes", h.RequireSignInWithMemberships,
			h.account.RecoveryCodesForm, h.account.ReplaceRecoveryCodes),
	}
}

func (h *Handler) docsScreens() []Screen {
	screens := []Screen{newScreen("/docs/search", h.FindReader, h.docs.Search)}
	for _, path := range []string{
		"", "/figures", "/csv", "/errors", "/recipes", "/recipes/:recipe",
		"/reference", "/reference/:operation", "/clients", "/changes", "/security",
		"/privacy", "/privacy/:language",
	} {
		screens = append(screens, newScreen("/docs"+path, h.FindReader, h.docs.Page))
	}
	for i := range screens {
		screens[i].Surface = limit.Public
	}
	return screens
}

func newScreen(
	path string, findPrincipal func(*fiber.Ctx) (*ui.Principal, error), page handler, form ...handler,
) Screen {
	adapt := func(handle handler) fiber.Handler {
		return func(c *fiber.Ctx) error {
			p, err := findPrincipal(c)
			if err != nil {
				return err
			}
			return handle(c, p)
		}
	}
	s := Screen{Path: path, Page: adapt(page)}
	for _, f := range form {
		s.Form = adapt(f)
	}
	return s
}
