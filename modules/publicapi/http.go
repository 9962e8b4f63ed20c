package publicapi

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Mount adds the API to app, before every other route: guard refuses keys on their paths.
func (a *API) Mount(app *fiber.App) {
	app.Use(a.guard)
	app.Get("/openapi/v1.json", serveDescription(a.document))
	a.route(app, "forks", authz.ListForks, apikeys.ForksRead, a.listForks)
	a.route(app, "forks/:forkId", authz.ReadFork, apikeys.ForksRead, a.getFork)
	a.route(app, "forks/:forkId/stats", authz.ReadReport, apikeys.ReportsRead, a.getForkStats)
	a.route(app, "forks/:forkId/exports/csv", authz.ExportReport, apikeys.ReportsRead,
		a.exportForkPlays)
}

// route adds a GET, and the HEAD that fiber derives from it, for callers with the scope.
func (a *API) route(
	app *fiber.App, path string, permission authz.Permission, scope apikeys.Scope,
	handle func(*fiber.Ctx, apikeys.Caller) error,
) {
	app.Get(prefix+path, func(c *fiber.Ctx) error {
		caller := callerOf(c)
		err := a.Policy.Authorize(caller.Subject(), permission, caller.OrganisationID)
		if errors.Is(err, authz.ErrDenied) {
			return a.refuseScope(c, caller, scope)
		}
		if err != nil {
			return err
		}
		return handle(c, caller)
	})
}

func (a *API) refuseScope(c *fiber.Ctx, caller apikeys.Caller, scope apikeys.Scope) error {
	c.Set(fiber.HeaderWWWAuthenticate,
		`Bearer error="insufficient_scope", scope="`+string(scope)+`"`)
	return a.Keys.Refuse(c.UserContext(), caller, audit.InsufficientScope, audit.Target{},
		requestOf(c), apperr.New(apperr.AccessDenied,
			"This key lacks the scope %s. Use a key that has it.", scope))
}

func requestOf(c *fiber.Ctx) audit.Request { return apikeys.RequestOf(c, pathOf(c)) }
