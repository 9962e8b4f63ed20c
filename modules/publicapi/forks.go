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
	if httpserver.NotModified(c, tag) { // the list was read at another version, or is empty
		lease.Release()
		return httpserver.SendNotModified(c, tag)
	}
	if len(list.body) > body.BlockSize { // a slow reader holds the memory
		bytes := int64(len(list.body))
		if lease != nil {
			lease.Keep(bytes)
		} else if lease, err = a.Lists.Acquire(c.UserContext(),
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

// listBytes is the peak memory of reading a fork list.
const listBytes = 2 << 20

// forkList returns the organisation's forks, not older than the authentication. Unless they are
// cached, they are read under a lease, which the caller releases; it is nil for cached ones.
func (a *API) forkList(
	ctx context.Context, caller apikeys.Caller,
) (*forkList, *fairshare.Lease, error) {
	if list, ok := a.cache.list(caller); ok {
		return list, nil, nil
	}
	lease, err := a.Lists.Acquire(ctx,
		fairshare.Request{OrganisationID: caller.OrganisationID, Bytes: listBytes})
	if err != nil {
		return nil, nil, err
	}
	forks, err := a.Games.Forks(ctx, caller.OrganisationID)
	if err == nil {
		err = a.authorizeList(caller, forks)
	}
	if err != nil {
		lease.Release()
		return nil, nil, err
	}
	if len(forks) == 0 {
		// No row has the snapshot's version. The caller's may be earlier, and may recur with forks if
		// history is lost: neither the cache nor the ETag may use it.
		return newForkList(versionKey{organisationID: caller.OrganisationID}, nil), lease, nil
	}
	list := newForkList(versionKey{caller.OrganisationID, forks[0].OrganisationVersion}, forks)
	a.cache.putList(list)
	return list, lease, nil
}

// authorizeList asks the policy about each owner of the forks. There is one, unless the query is
// wrong.
func (a *API) authorizeList(caller apikeys.Caller, forks []games.Fork) error {
	owner := ""
	for _, f := range forks {
		if f.OrganisationID == owner {
			continue
		}
		owner = f.OrganisationID
		if err := a.Policy.Authorize(caller.Subject(), authz.ListForks, owner); err != nil {
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

// wireVersion changes with the JSON form of a fork, so that clients discard cached ones.
const wireVersion = "1"

// versionTag is the ETag of forks, by the organisation's version of their snapshot. An earlier
// version could recur with older forks if history is lost.
func versionTag(c *fiber.Ctx, v versionKey) string {
	return httpserver.ETag(c, wireVersion, v.organisationID, strconv.FormatInt(v.version, 10))
}
