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

// forkOf loads the fork in the path, for every handler. It asks the policy about the owner of the
// fork, never about the caller's organisation, and records a refusal. Errors: apperr.NotFound,
// apperr.AccessDenied.
func (a *API) forkOf(
	ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission,
) (encodedFork, error) {
	id := input.ID(c.Params("forkId"))
	fork, missing := a.fork(ctx, caller, id)
	owner := fork.OrganisationID
	err := missing
	if apperr.Is(missing, apperr.NotFound) {
		owner, err = a.games.ForkOwner(ctx, id)
	}
	if err == nil {
		err = a.policy.Authorize(caller.Subject(), permission, owner)
	}
	if errors.Is(err, authz.ErrDenied) {
		return encodedFork{}, a.keys.Refuse(ctx, caller, audit.OtherOrganisation,
			audit.Target{Kind: "fork", ID: id}, requestOf(c), errForeignFork)
	}
	// missing and allowed: created between the two queries, after this request began
	if err = cmp.Or(err, missing); err != nil {
		return encodedFork{}, err
	}
	return fork, nil
}

// fork reads a fork of the caller's organisation, as of the caller's authentication or later.
// Errors: apperr.NotFound.
func (a *API) fork(ctx context.Context, caller apikeys.Caller, id string) (encodedFork, error) {
	if fork, ok := a.cache.fork(caller, id); ok {
		return fork, nil
	}
	fork, err := a.games.Fork(ctx, caller.OrganisationID, id)
	if err != nil {
		return encodedFork{}, err
	}
	read := encodedFork{fork, appendFork(nil, fork)}
	a.cache.putFork(read)
	return read, nil
}

// reportOf returns the fork that the path names and the report that the parameters ask for, as of
// the caller's authentication or later. Errors: those of forkOf and reportQuery.
func (a *API) reportOf(
	ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission,
) (encodedFork, reports.Query, error) {
	fork, err := a.forkOf(ctx, c, caller, permission)
	if err != nil {
		return encodedFork{}, reports.Query{}, err
	}
	query, err := reportQuery(c, fork)
	if err != nil {
		return encodedFork{}, reports.Query{}, err
	}
	query.Position = caller.Position
	query.MayReadGroup = a.mayReadGroup(caller, permission)
	return fork, query, nil
}

// mayReadGroup decides whether the caller may read reports on a group with the owner.
func (a *API) mayReadGroup(
	caller apikeys.Caller, permission authz.Permission,
) func(organisationID string) error {
	return func(organisationID string) error {
		return a.policy.Authorize(caller.Subject(), permission, organisationID)
	}
}

// groupError turns a report's error about its group into the answer. A group of another
// organisation gets the answer of an unknown one, but the refusal is recorded.
func (a *API) groupError(
	ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission,
	groupID string, err error,
) error {
	failed := err
	if errors.Is(err, reports.ErrGroupNotFound) {
		var owner string
		if owner, failed = a.orgs.GroupOwner(ctx, groupID); failed == nil {
			failed = a.mayReadGroup(caller, permission)(owner)
		}
	}
	switch {
	case errors.Is(failed, authz.ErrDenied):
		return a.keys.Refuse(ctx, caller, audit.OtherOrganisation,
			audit.Target{Kind: "group", ID: groupID}, requestOf(c), reports.ErrGroupNotFound)
	// allowed: created between the two queries
	case failed == nil, apperr.Is(failed, apperr.NotFound):
		return err
	}
	return failed
}
