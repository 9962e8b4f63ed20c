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

// refuseScope answers a key without the scope, and any other failure to decide as it is.
func (a *API) refuseScope(c *fiber.Ctx, caller apikeys.Caller, scope apikeys.Scope, err error) error {
	if !errors.Is(err, authz.ErrDenied) {
		return err
	}
	c.Set(fiber.HeaderWWWAuthenticate, `Bearer error="insufficient_scope", scope="`+string(scope)+`"`)
	ctx, stop := bounded(c.UserContext())
	defer stop()
	return a.keys.Refuse(ctx, caller, audit.InsufficientScope, audit.Target{}, requestOf(c),
		apperr.New(apperr.AccessDenied, "This key may not do that: it lacks the scope %s. Create a key that has it.", scope))
}

var errForeignFork = apperr.New(apperr.AccessDenied, "This fork belongs to another organisation. Use a key of that organisation.")

// forkOf loads the fork that the path names: the only way to one. It is the caller's organisation's; another's is refused
// and recorded.
func (a *API) forkOf(ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, permission authz.Permission) (answeredFork, error) {
	id := c.Params("forkId")
	if set := a.forks.get(caller.OrganisationID, caller.OrganisationVersion); set != nil {
		if known, ok := set.forks[id]; ok {
			return known, nil
		}
	}
	fork, notFound := a.games.Fork(ctx, caller.OrganisationID, id)
	if notFound == nil {
		read := answeredFork{fork, appendFork(nil, fork)}
		a.forks.putFork(read)
		return read, nil
	}
	if !apperr.Is(notFound, apperr.NotFound) {
		return answeredFork{}, notFound
	}
	owner, err := a.games.ForkOwner(ctx, id)
	if err != nil {
		return answeredFork{}, err
	}
	err = a.policy.Authorize(caller.Subject(), permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return answeredFork{}, a.keys.Refuse(ctx, caller, audit.OtherOrganisation, audit.Target{Kind: "fork", ID: id}, requestOf(c), errForeignFork)
	}
	// The fork came to be between the two looks: it was not there when this request began.
	return answeredFork{}, errors.Join(err, notFound)
}

// groupError answers what a report said of its group. One that the organisation does not have may be another's: that is
// recorded, and answered no differently.
func (a *API) groupError(ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, groupID string, err error) error {
	if !errors.Is(err, reports.ErrGroupNotFound) {
		return err
	}
	owner, unknown := a.orgs.GroupOwner(ctx, groupID)
	if unknown != nil {
		return unknown
	}
	if owner == caller.OrganisationID { // it came to be between the two looks
		return err
	}
	return a.keys.Refuse(ctx, caller, audit.OtherOrganisation, audit.Target{Kind: "group", ID: groupID}, requestOf(c), err)
}
