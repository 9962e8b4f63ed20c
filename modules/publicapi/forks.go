package publicapi

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/platform/authz"
	"dg/platform/fairshare"
	"dg/platform/httpserver"
	"dg/platform/httpserver/body"
)

// listForks answers GET /api/v1/forks.
func (a *API) listForks(c *fiber.Ctx, caller apikeys.Caller) error {
	if tag := versionTag(c, versionOf(caller)); httpserver.NotModified(c, tag) {
		return httpserver.SendNotModified(c, tag)
	}
	list, lease, err := a.forkList(c.UserContext(), caller)
	if err != nil {
		return err
	}
	tag := versionTag(c, list.versionKey)
	if httpserver.NotModified(c, tag) { // read at a later version, or empty
		lease.Release()
		return httpserver.SendNotModified(c, tag)
	}
	if len(list.body) > body.BlockSize { // a slow reader may take long
		bytes := int64(len(list.body))
		if lease != nil {
			lease.Keep(bytes)
		} else if lease, err = a.lists.Acquire(c.UserContext(),
			fairshare.Request{OrganisationID: caller.OrganisationID, Bytes: bytes}); err != nil {
			return err
		}
		httpserver.AttachLease(c, lease)
	} else {
		lease.Release()
	}
	return httpserver.SendJSON(c, list.body,
		httpserver.JSONOptions{ETag: tag, Gzipped: list.gzipped})
}

// listBytes is the memory that reading a fork list takes at its peak.
const listBytes = 2 << 20

// forkList returns the organisation's forks as of the caller's authentication or later. When they
// have to be read, that happens under a lease, which the caller releases; nil: they were cached.
func (a *API) forkList(
	ctx context.Context, caller apikeys.Caller,
) (*forkList, *fairshare.Lease, error) {
	if list, ok := a.cache.list(caller); ok {
		return list, nil, nil
	}
	lease, err := a.lists.Acquire(ctx,
		fairshare.Request{OrganisationID: caller.OrganisationID, Bytes: listBytes})
	if err != nil {
		return nil, nil, err
	}
	forks, err := a.games.Forks(ctx, caller.OrganisationID)
	if err == nil {
		err = a.mayList(caller, forks)
	}
	if err != nil {
		lease.Release()
		return nil, nil, err
	}
	if len(forks) == 0 {
		// No row names the version of the snapshot. The caller's may be an earlier one, which can
		// return with forks when history is lost: neither the cache nor the ETag may carry it.
		return newForkList(versionKey{organisationID: caller.OrganisationID}, nil), lease, nil
	}
	list := newForkList(versionKey{caller.OrganisationID, forks[0].OrganisationVersion}, forks)
	a.cache.putList(list)
	return list, lease, nil
}

// mayList asks the policy about every organisation that owns one of the forks: it is one, unless
// the query is wrong.
func (a *API) mayList(caller apikeys.Caller, forks []games.Fork) error {
	owner := ""
	for _, f := range forks {
		if f.OrganisationID == owner {
			continue
		}
		owner = f.OrganisationID
		if err := a.policy.Authorize(caller.Subject(), authz.ListForks, owner); err != nil {
			return fmt.Errorf("publicapi: fork %s in the list: %w", f.ID, err)
		}
	}
	return nil
}

// getFork answers GET /api/v1/forks/{forkId}.
func (a *API) getFork(c *fiber.Ctx, caller apikeys.Caller) error {
	ctx := c.UserContext()
	fork, err := a.forkOf(ctx, c, caller, authz.ReadFork)
	if err != nil {
		return err
	}
	tag := versionTag(c, versionKey{fork.OrganisationID, fork.OrganisationVersion})
	if httpserver.NotModified(c, tag) {
		return httpserver.SendNotModified(c, tag)
	}
	return httpserver.SendJSON(c, fork.body, httpserver.JSONOptions{ETag: tag})
}

// wireVersion changes with the JSON form of a fork, so that clients drop the older form.
const wireVersion = "1"

// versionTag is the ETag of forks read at the organisation's version. It has to be the version of
// the snapshot they come from: an earlier one can return, with older forks, when history is lost.
func versionTag(c *fiber.Ctx, v versionKey) string {
	return httpserver.ETag(c, wireVersion, v.organisationID, strconv.FormatInt(v.version, 10))
}
