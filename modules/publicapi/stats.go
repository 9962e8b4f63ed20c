package publicapi

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/httpserver"
)

// getForkStats answers GET /api/v1/forks/{forkId}/stats.
func (a *API) getForkStats(r *call) error {
	_, query, err := a.queryOf(r)
	if err != nil {
		return err
	}
	r.release() // reports and answers have places of their own
	if r.c.Method() == fiber.MethodHead {
		return a.headForkStats(r, query)
	}
	report, err := a.Reports.Open(r.ctx, query)
	if err != nil {
		return err
	}
	defer report.Close() // the report's place bounds the answers that wait for theirs
	if err := a.authorizeGroup(r, report.Header, query.GroupID); err != nil {
		return err
	}
	stats, err := a.Reports.Statistics(r.ctx, report)
	if err != nil {
		return err
	}
	return a.send(r, statisticsJSON(stats), "")
}

// How many megabytes of answers above httpserver.BlockSize are in memory, until their clients have
// them. Statistics of 100,000 players are 12 MB.
const (
	maxLargeAnswers               = 96
	maxLargeAnswersOfOrganisation = maxLargeAnswers / 2
)

// send answers with a body. A large one waits for its share of the memory.
func (a *API) send(r *call, body []byte, tag string) error {
	answer := httpserver.JSON{ETag: tag}
	if len(body) > httpserver.BlockSize {
		sent, err := a.answers.AcquireN(r.ctx, r.caller.OrganisationID, 1+len(body)>>20)
		if err != nil {
			return err
		}
		answer.Sent = sent
	}
	return httpserver.SendJSON(r.c, body, answer)
}

// headForkStats runs the checks of the statistics and computes nothing.
func (a *API) headForkStats(r *call, query reports.Query) error {
	header, err := a.Reports.Header(r.ctx, query)
	if err == nil {
		err = a.authorizeGroup(r, header, query.GroupID)
	}
	if err != nil {
		return err
	}
	return httpserver.SendJSONHead(r.c)
}
