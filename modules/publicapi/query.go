package publicapi

import (
	"cmp"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/input"
)

// reportQuery refuses unknown parameters: a mistyped filter would return figures of all players.
func reportQuery(c *fiber.Ctx, fork games.Fork) (reports.Query, error) {
	sent, unknown := httpserver.Query(c, "from", "to", "groupId")
	if len(unknown) > 0 {
		return reports.Query{}, errUnknownParameter(unknown[0])
	}
	for _, name := range []string{"from", "to", "groupId"} {
		if err := checkParameter(name, sent[name]); err != nil {
			return reports.Query{}, err
		}
	}
	// errors show the days
	period, err := reports.ParsePeriod(apikeys.Redact(sent.Get("from")), apikeys.Redact(sent.Get("to")))
	if err != nil {
		return reports.Query{}, err
	}
	return reports.Query{
		OrganisationID: fork.OrganisationID,
		ForkID:         fork.ID,
		Period:         period,
		GroupID:        input.ID(sent.Get("groupId")),
	}, nil
}

func checkParameter(name string, values []string) error {
	switch {
	case len(values) > 1:
		return apperr.NewField(name, "Query parameter `%s` is repeated. Send it once.", name)
	case len(values) == 0 || values[0] != "":
		return nil
	case name == "groupId":
		return apperr.NewField(name,
			"Query parameter `groupId` is empty. Set it to the id of a group, or leave it out.")
	}
	return apperr.NewField(name, "Query parameter `%s` is empty. Set it to a day such as 2026-03-01.", name)
}

// errUnknownParameter redacts the name, which may be a misplaced key.
func errUnknownParameter(name string) error {
	name = apikeys.Redact(name)
	return apperr.NewField(name,
		"Unknown query parameter `%s`. This endpoint takes `from`, `to` and `groupId`.",
		cmp.Or(input.Excerpt(name), "="))
}
