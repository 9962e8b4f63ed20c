package publicapi

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// listForks answers GET /api/v1/forks (specification, section 4.1).
func (a *API) listForks(c *fiber.Ctx, caller apikeys.Caller) error {
	tag := forkTag(c, caller.OrganisationID, caller.OrganisationVersion)
	if httpserver.NotModified(c, tag) {
		return httpserver.SendNotModified(c, tag)
	}
	set, lease, err := a.forkSet(c.UserContext(), caller)
	if err != nil {
		return err
	}
	if len(set.list) > httpserver.StreamThreshold { // of so many forks that their list may take its reader long
		if lease, err = a.reports.KeepAnswer(c.UserContext(), caller.OrganisationID, lease, len(set.list)); err != nil {
			return err
		}
		httpserver.AttachLease(c, lease)
	} else {
		lease.Release()
	}
	tag = forkTag(c, set.organisationID, set.version)
	return httpserver.SendJSON(c, set.list, httpserver.JSONOptions{ETag: tag, Gzipped: set.listGzipped})
}

// forkSet returns the organisation's forks as they stood when the caller was authenticated, or later. They are read and put
// together under a lease, which the caller releases; nil: they were there.
func (a *API) forkSet(ctx context.Context, caller apikeys.Caller) (*forkSet, *limiter.Lease, error) {
	if set := a.forks.get(caller.OrganisationID, caller.OrganisationVersion); set != nil && set.list != nil {
		return set, nil, nil
	}
	lease, err := a.reports.AdmitForks(ctx, caller.OrganisationID)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := bounded(ctx)
	defer stop()
	forks, err := a.games.Forks(ctx, caller.OrganisationID)
	if err != nil {
		lease.Release()
		return nil, nil, err
	}
	if len(forks) == 0 { // and so it is not known of which version
		return newForkSet(caller.OrganisationID, caller.OrganisationVersion, nil), lease, nil
	}
	set := newForkSet(caller.OrganisationID, forks[0].OrganisationVersion, forks)
	a.forks.put(set)
	return set, lease, nil
}

// getFork answers GET /api/v1/forks/{forkId} (specification, section 4.2).
func (a *API) getFork(c *fiber.Ctx, caller apikeys.Caller) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	fork, err := a.forkOf(ctx, c, caller, authz.ReadFork)
	if err != nil {
		return err
	}
	tag := forkTag(c, fork.OrganisationID, fork.OrganisationVersion)
	if httpserver.NotModified(c, tag) {
		return httpserver.SendNotModified(c, tag)
	}
	return httpserver.SendJSON(c, fork.body, httpserver.JSONOptions{ETag: tag})
}

// wireVersion changes when the form of a fork in JSON does, so that a client does not keep an older form.
const wireVersion = "1"

// forkTag is the ETag of forks that were read at the organisation's version. It is the version of the snapshot that they
// come from: one that was read before them could return, with older forks, when history is lost.
func forkTag(c *fiber.Ctx, organisationID string, version int64) string {
	return httpserver.ETag(c, wireVersion, organisationID, strconv.FormatInt(version, 10))
}
