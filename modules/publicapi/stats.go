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
	body, sent, err := a.admittedStatistics(r, query)
	if err != nil {
		return err
	}
	return httpserver.SendJSON(r.c, body, httpserver.JSON{Sent: sent})
}

// How many megabytes of answers above httpserver.BlockSize are in memory, until their clients have
// them. Statistics of 100,000 players are 12 MB.
const (
	maxLargeAnswers               = 96
	maxLargeAnswersOfOrganisation = maxLargeAnswers / 2
	maxSizes                      = 10_000 // forks and groups whose last size is known
)

// megabytes is how many places an answer takes while it is sent: none for a small one.
func megabytes(body []byte) int {
	if len(body) <= httpserver.BlockSize {
		return 0
	}
	return 1 + len(body)>>20
}

// admittedStatistics returns the JSON of a report. A large one waits for its memory before it is
// computed, by the size of the last one. If it turns out larger, it is computed again.
func (a *API) admittedStatistics(
	r *call, query reports.Query,
) (body []byte, sent func(), err error) {
	of := query.ForkID + query.GroupID
	for {
		expected, _ := a.sizes.Get(of)
		if sent, err = a.admitAnswer(r, expected); err != nil {
			return nil, nil, err
		}
		if body, err = a.statistics(r, query); err == nil {
			a.sizes.Add(of, megabytes(body))
			if megabytes(body) <= expected {
				return body, sent, nil
			}
		}
		if sent != nil {
			sent()
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// admitAnswer waits for the memory of a large answer. sent releases it; nil: the answer is small.
func (a *API) admitAnswer(r *call, megabytes int) (sent func(), err error) {
	if megabytes == 0 {
		return nil, nil
	}
	return a.answers.AcquireN(r.ctx, r.caller.OrganisationID, megabytes)
}

// statistics returns the JSON of a report.
func (a *API) statistics(r *call, query reports.Query) ([]byte, error) {
	report, err := a.Reports.Open(r.ctx, query)
	if err != nil {
		return nil, err
	}
	defer report.Close()
	if err := a.authorizeGroup(r, report.Header, query.GroupID); err != nil {
		return nil, err
	}
	stats, err := a.Reports.Statistics(r.ctx, report)
	if err != nil {
		return nil, err
	}
	return statisticsJSON(stats), nil
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
