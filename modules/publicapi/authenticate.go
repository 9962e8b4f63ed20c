package publicapi

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/instant"
)

// prefix makes a path part of the API.
const prefix = "/api/v1/"

// guard runs before every route of the program. The routed path decides whether a request is inside
// the API: inside guard authenticates, outside it refuses API keys.
func (a *API) guard(c *fiber.Ctx) error {
	path := pathOf(c)
	if strings.HasPrefix(path, prefix) {
		err := explainUnknownPath(c, a.authenticate(c))
		if apperr.Is(err, apperr.AuthRequired) && sendsToken(c) {
			c.Set(fiber.HeaderWWWAuthenticate, `Bearer error="invalid_token"`)
		}
		return err
	}
	if headers := strings.Join(authorization(c), "\n"); strings.Contains(headers,
		apikeys.TokenPrefix) {
		return a.refuseOutside(c, path, headers)
	}
	if path != c.Path() {
		return fiber.ErrNotFound
	}
	return c.Next()
}

// pathOf returns the path of the request target. For a target that begins with two slashes, fiber
// takes the first part for a host if "://" follows or the Host header is missing, and routes the
// rest.
func pathOf(c *fiber.Ctx) string {
	target := c.Request().Header.RequestURI()
	if !bytes.HasPrefix(target, []byte("//")) {
		return c.Path()
	}
	path, _, _ := bytes.Cut(target, []byte("?"))
	return string(path)
}

// sendsToken reports whether the request has a bearer token, well formed or not (RFC 6750, section
// 3).
func sendsToken(c *fiber.Ctx) bool {
	return slices.ContainsFunc(authorization(c), func(header string) bool {
		scheme, token, _ := strings.Cut(header, " ")
		return strings.EqualFold(scheme, "Bearer") && token != ""
	})
}

func authorization(c *fiber.Ctx) []string {
	raw := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
	headers := make([]string, len(raw))
	for i, h := range raw {
		headers[i] = string(h)
	}
	return headers
}

var (
	errOutside = apperr.New(apperr.AccessDenied,
		"API keys work only under /api/v1/. Remove the Authorization header, or call /api/v1/forks.")
	errNearMiss = apperr.New(apperr.AccessDenied,
		"Did you mean /api/v1/forks? Paths are case-sensitive.")
	nearMiss = regexp.MustCompile(`(?i)^/+api\b`)
	errNoKey = apperr.New(apperr.AuthRequired,
		"Send an API key in the header Authorization: Bearer dg_live_<id>_<secret>. Owners and "+
			"admins create keys in the organisation's settings.")
	errManyHeaders = apperr.New(apperr.AuthRequired, "Send exactly one Authorization header.")
	errIncomplete  = apperr.New(apperr.AuthRequired,
		"The API key is incomplete. Copy all of its %d characters.", apikeys.TokenLength)
	errMalformed = apperr.New(apperr.AuthRequired,
		"The API key is malformed. Keys look like dg_live_<id>_<secret>, %d characters in all.",
		apikeys.TokenLength)
)

func (a *API) refuseOutside(c *fiber.Ctx, path, headers string) error {
	httpserver.WithTenant(c, "")
	ctx := c.UserContext()
	id, _ := apikeys.FindID(headers)
	answer := errOutside
	if nearMiss.MatchString(path) {
		answer = errNearMiss
	}
	return a.Keys.RefuseOutside(ctx, id, apikeys.RequestOf(c, path), answer)
}

func (a *API) authenticate(c *fiber.Ctx) error {
	token, err := bearerToken(authorization(c))
	if err != nil {
		return err
	}
	credential := token.ID + token.Secret
	httpserver.WithTenant(c, a.hints.Organisation(credential))
	ctx := c.UserContext()
	caller, err := a.Keys.Authenticate(ctx, token, requestOf(c))
	if caller.KeyID != "" {
		httpserver.MarkAuthenticated(c)
		c.Set("RateLimit-Policy",
			`"key";q=`+strconv.Itoa(apikeys.MaxRequests)+`;w=`+strconv.Itoa(apikeys.RateWindow))
		c.Set("RateLimit",
			`"key";r=`+strconv.Itoa(caller.RateLimit.Remaining)+`;t=`+
				strconv.Itoa(caller.RateLimit.Reset))
	}
	if at := caller.ExpiryNotice; at != nil {
		c.Set("DG-Key-Expires", instant.Format(*at))
	}
	if err != nil {
		return err
	}
	a.hints.Accept(credential, caller.OrganisationID)
	httpserver.WithTenant(c, caller.OrganisationID)
	c.Locals(callerKey{}, caller)
	return c.Next()
}

type callerKey struct{}

// callerOf returns the key that guard authenticated.
func callerOf(c *fiber.Ctx) apikeys.Caller { return c.Locals(callerKey{}).(apikeys.Caller) }

// bearerToken reads the Authorization header: the scheme in any case, one or more spaces, a token.
// Errors: apperr.AuthRequired.
func bearerToken(headers []string) (apikeys.Token, error) {
	if len(headers) > 1 {
		return apikeys.Token{}, errManyHeaders
	}
	scheme, rest, found := strings.Cut(strings.Join(headers, ""), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return apikeys.Token{}, errNoKey
	}
	text := strings.TrimLeft(rest, " ")
	token, ok := apikeys.ParseToken(text)
	switch {
	case ok:
		return token, nil
	case strings.HasPrefix(text, apikeys.TokenPrefix) && len(text) < apikeys.TokenLength:
		return apikeys.Token{}, errIncomplete
	}
	return apikeys.Token{}, errMalformed
}
