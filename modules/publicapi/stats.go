package publicapi

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/fairshare"
	"dg/platform/httpserver"
)

// getForkStats answers GET /api/v1/forks/{forkId}/stats.
func (a *API) getForkStats(c *fiber.Ctx, caller apikeys.Caller) error {
	ctx := c.UserContext()
	_, query, err := a.reportOf(ctx, c, caller, authz.ReadReport)
	if err != nil {
		return err
	}
	if c.Method() == fiber.MethodHead {
		return a.headForkStats(ctx, c, caller, query)
	}
	stats, err := a.reports.Statistics(ctx, query, func(l *fairshare.Lease) {
		httpserver.AttachLease(c, l)
	})
	if err != nil {
		return a.groupError(ctx, c, caller, authz.ReadReport, query.GroupID, err)
	}
	return httpserver.SendJSONPieces(c, func() httpserver.Pieces {
		return statsPieces(stats)
	}, stats.Bytes)
}

// headForkStats runs the checks of the statistics and computes nothing.
func (a *API) headForkStats(
	ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, query reports.Query,
) error {
	if _, err := a.reports.Suppressed(ctx, query); err != nil {
		return a.groupError(ctx, c, caller, authz.ReadReport, query.GroupID, err)
	}
	return httpserver.SendJSONHead(c)
}
