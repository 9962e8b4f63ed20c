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
	r, err := a.reportOf(c, caller, authz.ExportReport)
	if err != nil {
		return err
	}
	export, err := a.Exports.Open(c.UserContext(), c, exports.Request{
		Query: r.query, Slug: r.slug, Actor: caller.Actor(), Request: requestOf(c),
		Recheck: func(ctx context.Context) error {
			return a.RecheckKeys.StillUsable(ctx, caller.OrganisationID, caller.KeyID)
		},
	})
	if err != nil {
		return err
	}
	defer export.Close()
	if err := r.authorize(export.Header); err != nil {
		return err
	}
	return a.Exports.Send(c, export)
}
