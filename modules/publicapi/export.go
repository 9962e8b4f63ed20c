package publicapi

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/platform/authz"
)

// exportForkPlays answers GET /api/v1/forks/{forkId}/exports/csv.
func (a *API) exportForkPlays(c *fiber.Ctx, caller apikeys.Caller) error {
	ctx := c.UserContext()
	fork, query, err := a.reportOf(ctx, c, caller, authz.ExportReport)
	if err != nil {
		return err
	}
	err = a.exports.Send(ctx, c, exports.Request{
		Query: query, Slug: fork.Slug, Actor: caller.Actor(), Request: requestOf(c),
		Recheck: func(ctx context.Context) error {
			return a.recheckKeys.StillUsable(ctx, caller.OrganisationID, caller.KeyID)
		},
	})
	return a.groupError(ctx, c, caller, authz.ExportReport, query.GroupID, err)
}
