package publicapi

import (
	"cmp"
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
)

var errForeignFork = apperr.New(apperr.AccessDenied,
	"This fork belongs to another organisation. Use a key of that organisation.")

// forkOf loads the fork in the path for a handler. It asks the policy about the fork's owner, never
// about the caller's organisation, and records a refusal. Errors: apperr.NotFound,
// apperr.AccessDenied.
func (a *API) forkOf(
	ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission,
) (encodedFork, error) {
	id := input.ID(c.Params("forkId"))
	fork, missing := a.fork(ctx, caller, id)
	owner := fork.OrganisationID
	err := missing
	if apperr.Is(missing, apperr.NotFound) {
		owner, err = a.Games.ForkOwner(ctx, id)
	}
	if err == nil {
		err = a.Policy.Authorize(caller.Subject(), permission, owner)
	}
	if errors.Is(err, authz.ErrDenied) {
		return encodedFork{}, a.Keys.Refuse(ctx, caller, audit.OtherOrganisation,
			audit.Target{Kind: "fork", ID: id}, requestOf(c), errForeignFork)
	}
	// If the owner is allowed, the fork was created between the two queries: not found.
	if err = cmp.Or(err, missing); err != nil {
		return encodedFork{}, err
	}
	return fork, nil
}

// fork reads a fork of the caller's organisation, not older than the authentication.
// Errors: apperr.NotFound.
func (a *API) fork(ctx context.Context, caller apikeys.Caller, id string) (encodedFork, error) {
	if fork, ok := a.cache.fork(caller, id); ok {
		return fork, nil
	}
	fork, err := a.Games.Fork(ctx, caller.OrganisationID, id)
	if err != nil {
		return encodedFork{}, err
	}
	read := encodedFork{fork, appendFork(nil, fork)}
	a.cache.putFork(read)
	return read, nil
}

// reportRequest is a request for a report on a fork that the caller may read.
type reportRequest struct {
	api        *API
	c          *fiber.Ctx
	caller     apikeys.Caller
	permission authz.Permission
	slug       string // of the fork
	query      reports.Query
}

// reportOf parses a request for a report. The report will not be older than the authentication.
// Errors: those of forkOf and reportQuery.
func (a *API) reportOf(
	c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission,
) (*reportRequest, error) {
	fork, err := a.forkOf(c.UserContext(), c, caller, permission)
	if err != nil {
		return nil, err
	}
	query, err := reportQuery(c, fork)
	if err != nil {
		return nil, err
	}
	query.Position = caller.Position
	return &reportRequest{a, c, caller, permission, fork.Slug, query}, nil
}

// authorize asks the policy about the owner of the report's group, and records a refusal. The group
// of another organisation is answered like an unknown one. Errors: reports.ErrGroupNotFound.
func (r *reportRequest) authorize(h reports.Header) error {
	if h.GroupOwner == "" {
		return nil
	}
	err := r.api.Policy.Authorize(r.caller.Subject(), r.permission, h.GroupOwner)
	if errors.Is(err, authz.ErrDenied) {
		return r.api.Keys.Refuse(r.c.UserContext(), r.caller, audit.OtherOrganisation,
			audit.Target{Kind: "group", ID: r.query.GroupID}, requestOf(r.c),
			reports.ErrGroupNotFound)
	}
	if err != nil {
		return err
	}
	return h.CheckGroup(r.caller.OrganisationID)
}
