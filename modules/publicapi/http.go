package publicapi

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// prefix is what makes a path part of the API.
const prefix = "/api/v1/"

// Mount adds the API to app. It goes before every other route: its guard refuses keys on the paths of all of them.
func (a *API) Mount(app *fiber.App) {
	app.Use(a.guard)
	app.Get("/openapi/v1.json", a.serveDocument)
	a.route(app, "forks", authz.ListForks, apikeys.ForksRead, a.listForks)
	a.route(app, "forks/:forkId", authz.ReadFork, apikeys.ForksRead, a.getFork)
	a.route(app, "forks/:forkId/stats", authz.ReadReport, apikeys.ReportsRead, a.getForkStats)
	a.route(app, "forks/:forkId/exports/csv", authz.ExportReport, apikeys.ReportsRead, a.exportForkPlays)
}

// route adds a GET, and the HEAD that fiber makes of it, for callers with the scope.
func (a *API) route(app *fiber.App, path string, permission authz.Permission, scope apikeys.Scope, handle func(*fiber.Ctx, apikeys.Caller) error) {
	app.Get(prefix+path, func(c *fiber.Ctx) error {
		caller := callerOf(c)
		if err := a.policy.Authorize(caller.Subject(), permission, caller.OrganisationID); err != nil {
			return a.refuseScope(c, caller, scope, err)
		}
		return handle(c, caller)
	})
}

// guard is the first thing that a request meets. Whether it is in or out of the API is decided here, once, from the path
// as it is routed.
func (a *API) guard(c *fiber.Ctx) error {
	path := pathOf(c)
	if strings.HasPrefix(path, prefix) {
		return a.authenticate(c)
	}
	if headers := strings.Join(authorization(c), "\n"); strings.Contains(headers, apikeys.TokenPrefix) {
		return a.refuseOutside(c, headers)
	}
	if path != c.Path() {
		return fiber.ErrNotFound
	}
	return c.Next()
}

// pathOf is the path that a request is about. A target that begins with two slashes is all path; where it has "://"
// further on, or comes without a Host, the router has taken its first part for a host and would let the rest in.
func pathOf(c *fiber.Ctx) string {
	target := c.Request().Header.RequestURI()
	if !bytes.HasPrefix(target, []byte("//")) {
		return c.Path()
	}
	path, _, _ := bytes.Cut(target, []byte("?"))
	return string(path)
}

// authorization returns the Authorization headers.
func authorization(c *fiber.Ctx) []string {
	raw := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
	headers := make([]string, len(raw))
	for i, h := range raw {
		headers[i] = string(h)
	}
	return headers
}

func (a *API) refuseOutside(c *fiber.Ctx, headers string) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	id, _ := apikeys.FindID(headers)
	return a.keys.RefuseOutside(ctx, id, requestOf(c))
}

var errNoKey = apperr.New(apperr.AuthRequired, "Send an API key as the header: Authorization: Bearer dg_live_<id>_<secret>. Owners and admins create keys in the organisation's settings.")

func (a *API) authenticate(c *fiber.Ctx) error {
	token, ok := bearerToken(authorization(c))
	if !ok {
		return errNoKey
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	caller, err := a.keys.Authenticate(ctx, token, requestOf(c))
	if caller.KeyID != "" {
		httpserver.MarkAuthenticated(c)
		c.Set("RateLimit-Policy", `"key";q=`+strconv.Itoa(apikeys.MaxRequests)+`;w=`+strconv.Itoa(apikeys.RateWindow))
		c.Set("RateLimit", `"key";r=`+strconv.Itoa(caller.RateLimit.Remaining)+`;t=`+strconv.Itoa(caller.RateLimit.Reset))
	}
	if err != nil {
		return err
	}
	c.Locals(callerKey{}, caller)
	return c.Next()
}

type callerKey struct{}

// callerOf returns the key that guard authenticated.
func callerOf(c *fiber.Ctx) apikeys.Caller { return c.Locals(callerKey{}).(apikeys.Caller) }

// bearerToken reads the one Authorization header: the scheme in any case, one or more spaces, a token.
func bearerToken(headers []string) (apikeys.Token, bool) {
	if len(headers) != 1 {
		return apikeys.Token{}, false
	}
	scheme, rest, found := strings.Cut(headers[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return apikeys.Token{}, false
	}
	return apikeys.ParseToken(strings.TrimLeft(rest, " "))
}

// requestOf is the request as the audit log keeps it, without the secret of a key that stands where it does not belong. Its
// strings are copies: the next request overwrites fiber's.
func requestOf(c *fiber.Ctx) audit.Request {
	return audit.Request{
		Method: strings.Clone(c.Method()), Path: strings.Clone(apikeys.Redact(pathOf(c))), Address: httpserver.ClientAddr(c),
		UserAgent: strings.Clone(apikeys.Redact(c.Get(fiber.HeaderUserAgent))), ID: httpserver.RequestID(c),
	}
}
