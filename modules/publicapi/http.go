package publicapi

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/input"
	"dg/platform/limit"
)

const (
	apiPrefix    = "/api/v1/"
	documentPath = "/openapi/v1.json"
)

// Mount adds the API, as a middleware, to the fiber.App that listens. Call it before routes are
// added. Whatever the app's settings, the API matches paths exactly, refuses keys on all other
// paths, and writes its own errors. Mount panics
//   - with Config.ETag, which would buffer an export and send a broken one as complete,
//   - with Config.DisableHeaderNormalizing, because HTTP/2 proxies send header names in lower case,
//   - on an app that another app mounts, because the settings of that app would apply.
func (a *API) Mount(app *fiber.App) {
	if config := app.Config(); config.ETag || config.DisableHeaderNormalizing || app.MountPath() != "" {
		panic("publicapi: mount the API on the fiber.App that listens, without ETag and DisableHeaderNormalizing")
	}
	app.Hooks().OnMount(func(*fiber.App) error { panic("publicapi: the API is on an app that does not listen") })
	server := app.Server()
	server.SecureErrorLogMessage = true // otherwise errors quote the request, Authorization included
	handle := server.ErrorHandler
	server.ErrorHandler = func(c *fasthttp.RequestCtx, err error) {
		if strings.Contains(err.Error(), apikeys.TokenPrefix) { // some errors still quote the request
			err = errors.New("a request with an API key is malformed")
		}
		handle(c, err)
	}
	app.Use(a.serve)
}

// serve decides by the path alone whether a request is inside the API. It responds 404 if fiber
// would route a path that serve has not checked.
func (a *API) serve(c *fiber.Ctx) error {
	path := pathOf(c)
	headers := strings.Join(authorizationHeaders(c), "\n")
	switch {
	case strings.HasPrefix(path, apiPrefix):
		return a.server.Handle(c, func(c *fiber.Ctx) error {
			err := a.serveInSlot(c, path)
			if err != nil && apperr.Is(err, apperr.AuthRequired) && sendsToken(c) {
				c.Set(fiber.HeaderWWWAuthenticate, `Bearer error="invalid_token"`)
			}
			return err
		})
	case strings.Contains(headers, apikeys.TokenPrefix):
		return a.server.Handle(c, func(c *fiber.Ctx) error {
			return a.refuseOutsideAPI(c, path, headers)
		})
	case path == documentPath && (c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead):
		return a.server.Handle(c, a.serveDocument)
	case strings.HasPrefix(path, "//") && path != c.Path():
		return fiber.ErrNotFound
	}
	return c.Next()
}

// pathOf returns the path as sent: the app's settings may decode fiber's path. fasthttp takes the
// first segment of a target such as //a/b for the host if the Host header is missing or "://"
// follows, and fiber then routes the rest. pathOf keeps that segment.
func pathOf(c *fiber.Ctx) string {
	target := c.Request().Header.RequestURI()
	if !bytes.HasPrefix(target, []byte("//")) {
		return string(c.Request().URI().PathOriginal())
	}
	path, _, _ := bytes.Cut(target, []byte("?"))
	return string(path)
}

var errOutsideAPI = apperr.New(apperr.AccessDenied, "API keys work only under /api/v1/, in lower case, "+
	"with single slashes. Remove the Authorization header, or call /api/v1/forks.")

func (a *API) refuseOutsideAPI(c *fiber.Ctx, path, headers string) error {
	return a.Requests.Run(c.UserContext(), limit.API, "", httpserver.ClientNetwork(c),
		func(ctx context.Context) error {
			return a.Keys.RefuseOutsideAPI(ctx, apikeys.FindID(headers), apikeys.AuditRequest(c, path), errOutsideAPI)
		})
}

var forkPathPattern = regexp.MustCompile(`^forks/([^/]+)(.*)$`)

func matchEndpoint(path string) (e endpoint, forkID string, ok bool) {
	template := path
	if m := forkPathPattern.FindStringSubmatch(path); m != nil {
		forkID = input.PathID(m[1])
		template = "forks/:forkId" + m[2]
	}
	i := slices.IndexFunc(endpoints, func(e endpoint) bool { return e.template == template })
	if i < 0 {
		return endpoint{}, "", false
	}
	return endpoints[i], forkID, true
}

// call is an authenticated request. route sets endpoint and forkID.
type call struct {
	endpoint

	c      *fiber.Ctx
	ctx    context.Context
	caller apikeys.Caller
	path   string
	forkID string // the decoded path segment, not validated
}

var errUnknownPath = func() error {
	paths := make([]string, len(endpoints))
	for i, e := range endpoints {
		paths[i] = strings.Replace(e.template, "forks/:forkId", "…/{forkId}", 1)
	}
	last := len(paths) - 1
	return apperr.New(apperr.NotFound, "No such endpoint. There are %s%s and %s, without a trailing "+
		"or double slash. Ids of groups are in Settings, Organisation.", apiPrefix, strings.Join(paths[:last], ", "),
		paths[last])
}()

func (a *API) route(r *call) error {
	e, forkID, ok := matchEndpoint(strings.TrimPrefix(r.path, apiPrefix))
	if !ok {
		return errUnknownPath
	}
	httpserver.SetRoute(r.c, apiPrefix+e.template)
	if m := r.c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
		r.c.Set(fiber.HeaderAllow, "GET, HEAD")
		return fiber.ErrMethodNotAllowed
	}
	r.endpoint = e
	r.forkID = forkID
	err := a.Policy.Authorize(r.caller.Subject, e.permission, r.caller.OrganisationID)
	if errors.Is(err, authz.ErrDenied) {
		r.c.Set(fiber.HeaderWWWAuthenticate,
			`Bearer error="insufficient_scope", scope="`+string(r.scope)+`"`)
		return a.refuse(r, audit.InsufficientScope, audit.Target{}, apperr.New(apperr.AccessDenied,
			"This key lacks the scope %s. Use a key that has it.", r.scope))
	}
	if err != nil {
		return err
	}
	return e.handle(a, r)
}

func (a *API) refuse(r *call, reason audit.Reason, target audit.Target, refusal error) error {
	return a.Keys.Refuse(r.ctx, r.caller, reason, target, apikeys.AuditRequest(r.c, r.path), refusal)
}
