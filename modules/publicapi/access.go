package publicapi

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
)

var errForeignFork = apperr.New(apperr.AccessDenied, "This fork belongs to another organisation. Use a key of that organisation.")

// forkOf loads the fork that the path names. Every handler loads forks through it: it refuses, and records, a fork of
// another organisation. Errors: apperr.NotFound, apperr.AccessDenied.
func (a *API) forkOf(ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission) (encodedFork, error) {
	id := c.Params("forkId")
	if fork, ok := a.cache.fork(caller, id); ok {
		return fork, nil
	}
	fork, notFound := a.games.Fork(ctx, caller.OrganisationID, id)
	if notFound == nil {
		read := encodedFork{fork, appendFork(nil, fork)}
		a.cache.putFork(read)
		return read, nil
	}
	if !apperr.Is(notFound, apperr.NotFound) {
		return encodedFork{}, notFound
	}
	owner, err := a.games.ForkOwner(ctx, id)
	if err != nil {
		return encodedFork{}, err
	}
	err = a.policy.Authorize(caller.Subject(), permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return encodedFork{}, a.keys.Refuse(ctx, caller, audit.OtherOrganisation, audit.Target{Kind: "fork", ID: id}, requestOf(c), errForeignFork)
	}
	// Created between the two queries: it did not exist when this request began.
	return encodedFork{}, errors.Join(err, notFound)
}

// groupError turns a report's error about its group into the answer. A group that the organisation does not have may be
// another's: the refusal is recorded, the answer is the same.
func (a *API) groupError(ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, groupID string, err error) error {
	if !errors.Is(err, reports.ErrGroupNotFound) {
		return err
	}
	owner, failed := a.orgs.GroupOwner(ctx, groupID)
	switch {
	case apperr.Is(failed, apperr.NotFound):
		return err
	case failed != nil:
		return failed
	case owner == caller.OrganisationID: // created between the two queries
		return err
	}
	return a.keys.Refuse(ctx, caller, audit.OtherOrganisation, audit.Target{Kind: "group", ID: groupID}, requestOf(c), err)
}
