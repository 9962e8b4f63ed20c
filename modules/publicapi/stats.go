package publicapi

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// getForkStats answers GET /api/v1/forks/{forkId}/stats (specification, section 4.3).
func (a *API) getForkStats(c *fiber.Ctx, caller apikeys.Caller) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	fork, err := a.forkOf(ctx, c, caller, authz.ReadReport)
	if err != nil {
		return err
	}
	query, err := reportQuery(c, fork)
	if err != nil {
		return err
	}
	stats, err := a.reports.Statistics(ctx, query)
	if err != nil {
		return a.groupError(ctx, c, caller, query.GroupID, err)
	}
	return httpserver.SendJSON(c, appendStats(stats), httpserver.JSONOptions{})
}
