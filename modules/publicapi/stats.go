package publicapi

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/authz"
	"dg/platform/fairshare"
	"dg/platform/httpserver"
	"dg/platform/httpserver/body"
)

// getForkStats answers GET /api/v1/forks/{forkId}/stats.
func (a *API) getForkStats(c *fiber.Ctx, caller apikeys.Caller) error {
	r, err := a.reportOf(c, caller, authz.ReadReport)
	if err != nil {
		return err
	}
	if c.Method() == fiber.MethodHead {
		return a.headForkStats(r)
	}
	report, err := a.Reports.Open(c.UserContext(), r.query, func(l *fairshare.Lease) {
		httpserver.AttachLease(c, l)
	})
	if err != nil {
		return err
	}
	defer report.Close()
	if err := r.authorize(report.Header); err != nil {
		return err
	}
	stats, err := a.Reports.Statistics(c.UserContext(), report)
	if err != nil {
		return err
	}
	return httpserver.SendJSONPieces(c, func() body.Pieces {
		return statsPieces(stats)
	}, stats.Bytes)
}

// headForkStats runs the checks of the statistics and computes nothing.
func (a *API) headForkStats(r *reportRequest) error {
	header, err := a.Reports.Header(r.c.UserContext(), r.query)
	if err == nil {
		err = r.authorize(header)
	}
	if err != nil {
		return err
	}
	return httpserver.SendJSONHead(r.c)
}
