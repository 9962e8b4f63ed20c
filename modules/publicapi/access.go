package publicapi

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/format"
	"dg/platform/httpserver"
	"dg/platform/input"
	"dg/platform/limit"
)

// sendsToken reports whether a bearer token was sent, even a malformed one (RFC 6750, section 3).
func sendsToken(c *fiber.Ctx) bool {
	return slices.ContainsFunc(authorizationHeaders(c), func(header string) bool {
		scheme, token, _ := strings.Cut(header, " ")
		return strings.EqualFold(scheme, "Bearer") && token != ""
	})
}

func authorizationHeaders(c *fiber.Ctx) []string {
	var headers []string
	for _, value := range c.Request().Header.PeekAll(fiber.HeaderAuthorization) {
		headers = append(headers, string(value))
	}
	return headers
}

var (
	errNoKey = apperr.New(apperr.AuthRequired,
		"Send an API key in the header Authorization: Bearer dg_live_<id>_<secret>. Owners and "+
			"admins create keys in the organisation's settings.")
	errManyHeaders   = apperr.New(apperr.AuthRequired, "Send exactly one Authorization header.")
	errIncompleteKey = apperr.New(apperr.AuthRequired,
		"The API key is incomplete. Copy all of its %d characters.", apikeys.TokenLength)
	errMalformedKey = apperr.New(apperr.AuthRequired,
		"The API key is malformed. Send dg_live_<id>_<secret>, %d characters in all, without quotes.",
		apikeys.TokenLength)
)

// serveInSlot authenticates and routes a request in a slot of Dependencies.Requests. Before a
// report or export waits for a slot of its own limiter, it frees this one.
func (a *API) serveInSlot(c *fiber.Ctx, path string) error {
	token, err := bearerToken(authorizationHeaders(c))
	if err != nil {
		return err
	}
	return a.Requests.Run(c.UserContext(), limit.API, token.ID+token.Secret, httpserver.ClientNetwork(c),
		func(ctx context.Context) error {
			c.SetUserContext(ctx)
			return a.authenticateAndRoute(ctx, c, token, path)
		})
}

func (a *API) authenticateAndRoute(
	ctx context.Context, c *fiber.Ctx, token apikeys.Token, path string,
) error {
	caller, err := a.Keys.Authenticate(ctx, token, func() audit.Request {
		return apikeys.AuditRequest(c, path)
	})
	if caller.Actor.ID != "" {
		httpserver.MarkAuthenticated(c)
		c.Set("RateLimit-Policy",
			`"key";q=`+strconv.Itoa(apikeys.MaxRequests)+`;w=`+strconv.Itoa(apikeys.RateWindow))
		c.Set("RateLimit",
			`"key";r=`+strconv.Itoa(caller.RateLimit.Remaining)+`;t=`+
				strconv.Itoa(caller.RateLimit.Reset))
	}
	if at := caller.ExpiryNotice; at != nil {
		c.Set("DG-Key-Expires", format.Instant(*at))
	}
	if err != nil {
		return err
	}
	a.Requests.Remember(token.ID+token.Secret, caller.OrganisationID)
	return a.route(&call{c: c, ctx: ctx, caller: caller, path: path})
}

func bearerToken(headers []string) (apikeys.Token, error) {
	if len(headers) > 1 {
		return apikeys.Token{}, errManyHeaders
	}
	scheme, credentials, hasSpace := strings.Cut(strings.Join(headers, ""), " ")
	if !hasSpace || !strings.EqualFold(scheme, "Bearer") {
		return apikeys.Token{}, errNoKey
	}
	text := strings.TrimLeft(credentials, " ")
	if token, ok := apikeys.ParseToken(text); ok {
		return token, nil
	}
	if strings.HasPrefix(text, apikeys.TokenPrefix) && len(text) < apikeys.TokenLength {
		return apikeys.Token{}, errIncompleteKey
	}
	return apikeys.Token{}, errMalformedKey
}

var errForeignFork = apperr.New(apperr.AccessDenied,
	"This fork belongs to another organisation. Use a key of that organisation.")

// forkOf returns the fork of the request. It asks the policy about the fork's stored owner, not
// about the caller's organisation.
func (a *API) forkOf(r *call) (games.Fork, error) {
	id := input.ID(r.forkID)
	fork, readErr := a.Games.Fork(r.ctx, r.caller.OrganisationID, id)
	if readErr != nil && !apperr.Is(readErr, apperr.NotFound) {
		return fork, readErr
	}
	owner := fork.OrganisationID
	if readErr != nil {
		var err error
		if owner, err = a.Games.ForkOwner(r.ctx, id); err != nil {
			return fork, err
		}
	}
	err := a.Policy.Authorize(r.caller.Subject, r.permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return games.Fork{}, a.refuse(r, audit.OtherOrganisation,
			audit.Target{Kind: "fork", ID: id}, errForeignFork)
	}
	if err != nil {
		return fork, err
	}
	return fork, readErr // readErr is set if the fork was created between the two queries
}

const (
	maxHashedPlays             = 1_000  // for the ETag of a GET: hashing takes a small part of its time
	maxHashedPlaysToRevalidate = 10_000 // for HEAD and If-None-Match, which often need the ETag alone
)

// queryOf returns the fork and the query of a report. Its Position excludes replicas that have not
// replayed the authentication.
func (a *API) queryOf(r *call) (games.Fork, reports.Query, error) {
	fork, err := a.forkOf(r)
	if err != nil {
		return fork, reports.Query{}, err
	}
	query, err := reportQuery(r.c, fork)
	query.Position = r.caller.Position
	query.MaxHashedPlays = maxHashedPlays
	if r.c.Method() == fiber.MethodHead || r.c.Get(fiber.HeaderIfNoneMatch) != "" {
		query.MaxHashedPlays = maxHashedPlaysToRevalidate
	}
	return fork, query, err
}

// authorizeGroup refuses another organisation's group with the error of an unknown group, so that
// the response does not reveal whether the group exists.
func (a *API) authorizeGroup(r *call, h reports.Header, groupID string) error {
	if h.GroupOwner == "" {
		return nil
	}
	err := a.Policy.Authorize(r.caller.Subject, r.permission, h.GroupOwner)
	if errors.Is(err, authz.ErrDenied) {
		return a.refuse(r, audit.OtherOrganisation, audit.Target{Kind: "group", ID: groupID},
			reports.ErrGroupNotFound)
	}
	if err != nil {
		return err
	}
	return h.CheckGroup(r.caller.OrganisationID)
}
