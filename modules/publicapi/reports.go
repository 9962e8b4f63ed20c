package publicapi

import (
	"cmp"
	"context"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/input"
	"dg/platform/postgres"
)

// reportQuery refuses unknown parameters: a report with a mistyped groupId would cover all players.
func reportQuery(c *fiber.Ctx, fork games.Fork) (reports.Query, error) {
	parameters, unknown := httpserver.Query(c, "from", "to", "groupId")
	if len(unknown) > 0 {
		return reports.Query{}, errUnknownParameter(unknown[0])
	}
	const day = "a day such as 2026-03-01"
	for _, p := range [][2]string{{"from", day}, {"to", day}, {"groupId", "the id of a group, or leave it out"}} {
		if err := checkParameter(p[0], p[1], parameters[p[0]]); err != nil {
			return reports.Query{}, err
		}
	}
	// redacted, because errors quote the days, and a day may be a misplaced key
	period, err := reports.ParsePeriod(apikeys.Redact(parameters.Get("from")), apikeys.Redact(parameters.Get("to")))
	if err != nil {
		return reports.Query{}, err
	}
	return reports.Query{
		OrganisationID: fork.OrganisationID,
		ForkID:         fork.ID,
		Period:         period,
		GroupID:        input.ID(parameters.Get("groupId")),
	}, nil
}

// checkParameter refuses a repeated or empty parameter. Its error for an empty one asks for
// expected.
func checkParameter(name, expected string, values []string) error {
	switch {
	case len(values) > 1:
		return apperr.NewField(name, "Query parameter `%s` is repeated. Send it once.", name)
	case len(values) == 1 && values[0] == "":
		return apperr.NewField(name, "Query parameter `%s` is empty. Set it to %s.", name, expected)
	}
	return nil
}

// errUnknownParameter redacts the name, which may be a misplaced key.
func errUnknownParameter(name string) error {
	name = apikeys.Redact(name)
	return apperr.NewField(name,
		"Unknown query parameter `%s`. This endpoint takes `from`, `to` and `groupId`.",
		cmp.Or(input.Excerpt(name), "="))
}

// getForkStats handles GET /api/v1/forks/{forkId}/stats: the statistics of a period, or 304.
// Errors: 400, 401, 403, 404 (fork, group), 429, 503.
func (a *API) getForkStats(r *call) error {
	_, query, err := a.queryOf(r)
	if err != nil {
		return err
	}
	report, err := a.Reports.Open(r.ctx, query)
	if err != nil {
		return err
	}
	defer report.Close() // after send, so that the report's slot also bounds waiting responses
	if err := a.authorizeGroup(r, report.Header, query.GroupID); err != nil {
		return err
	}
	tag := statisticsETag(r.c, report)
	if tag != "" && httpserver.NotModified(r.c, tag) {
		return httpserver.SendNotModified(r.c, tag)
	}
	if tag != "" && r.c.Method() == fiber.MethodHead && r.c.Context().Request.Header.IsHTTP11() {
		return httpserver.JSONHead(r.c, tag) // only HTTP/1.0 needs a length, and so the figures
	}
	stats, err := a.Reports.Statistics(r.ctx, report)
	if err != nil {
		return err
	}
	return a.send(r, statisticsJSON(stats), statisticsETag(r.c, report))
}

func statisticsETag(c *fiber.Ctx, r *reports.Report) string {
	if r.Fingerprint == nil || r.Fingerprint.Tag == "" {
		return ""
	}
	return httpserver.ETag(c, statisticsFormat, r.Fingerprint.Tag)
}

// statisticsFormat is a body with every field. ETags cover it, so they change with the wire format.
var statisticsFormat = string(statisticsJSON(reports.Statistics{
	UniquePlayers: 1,
	Player:        func(int) reports.PlayerStat { return reports.PlayerStat{} },
	Daily:         make([]reports.DailyStat, 1),
	Skills:        make([]reports.SkillStat, 1),
}))

// These limits bound the megabytes of large responses that clients have not yet received. A
// response above httpserver.BlockSize is large. Statistics of 100,000 players have about 12 MB.
const (
	maxLargeResponsesMB               = 96
	maxLargeResponsesMBOfOrganisation = maxLargeResponsesMB / 2
)

// send sends a JSON body. A large body waits for its share of maxLargeResponsesMB.
func (a *API) send(r *call, body []byte, tag string) error {
	if len(body) <= httpserver.BlockSize {
		return httpserver.SendJSON(r.c, body, tag, func() {})
	}
	release, err := a.largeResponses.AcquireN(r.ctx, r.caller.OrganisationID, 1+len(body)>>20)
	if err != nil {
		return err
	}
	return httpserver.SendJSON(r.c, body, tag, release)
}

// exportForkPlays handles GET /api/v1/forks/{forkId}/exports/csv: the plays of a period as a
// stream, or 304. Errors: 400 (also for a Range), 401, 403, 404, 429, 503, 505.
func (a *API) exportForkPlays(r *call) error {
	fork, query, err := a.queryOf(r)
	if err != nil {
		return err
	}
	caller := r.caller
	export, err := a.Exports.Open(r.c, exports.Request{
		Query:   query,
		Slug:    fork.Slug,
		Actor:   caller.Actor,
		Request: apikeys.AuditRequest(r.c, r.path),
		Recheck: func(ctx context.Context, db *postgres.DB) error {
			return apikeys.CheckUsable(ctx, db, caller.OrganisationID, caller.Actor.ID)
		},
	})
	if err != nil {
		return err
	}
	defer export.Close()
	if err := a.authorizeGroup(r, export.Header, query.GroupID); err != nil {
		return err
	}
	return export.Send(r.c)
}
