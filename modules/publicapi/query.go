package publicapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/input"
)

type reportParameters struct {
	From    []string `json:"from" validate:"max=1,dive,required"`
	To      []string `json:"to" validate:"max=1,dive,required"`
	GroupID []string `json:"groupId" validate:"max=1,dive,required"`
}

var parameterChecks = input.New(map[string]string{
	"max":              "Query parameter `{field}` is repeated. Send it once.",
	"required":         "Query parameter `{field}` is empty. Set it to a day such as 2026-03-01.",
	"groupId required": "Query parameter `groupId` is empty. Set it to the id of a group, or leave it out.",
}, nil)

// reportQuery refuses unknown parameters: a mistyped filter would return figures of all players.
func reportQuery(c *fiber.Ctx, fork games.Fork) (reports.Query, error) {
	// a lone "=" is an unknown parameter too, but fasthttp drops it
	if slices.Contains(strings.Split(string(c.Request().URI().QueryString()), "&"), "=") {
		return reports.Query{}, errUnknownParameter("")
	}
	var sent reportParameters
	values := map[string]*[]string{"from": &sent.From, "to": &sent.To, "groupId": &sent.GroupID}
	for name, value := range c.Context().QueryArgs().All() {
		of, known := values[string(name)]
		if !known {
			return reports.Query{}, errUnknownParameter(string(name))
		}
		*of = append(*of, apikeys.Redact(string(value))) // errors show it
	}
	if err := parameterChecks.Check(sent); err != nil {
		return reports.Query{}, err
	}
	period, err := reports.ParsePeriod(strings.Join(sent.From, ""), strings.Join(sent.To, ""))
	if err != nil {
		return reports.Query{}, err
	}
	group := input.ID(strings.Join(sent.GroupID, ""))
	return reports.Query{
		OrganisationID: fork.OrganisationID,
		ForkID:         fork.ID,
		Period:         period,
		GroupID:        group,
	}, nil
}

// errUnknownParameter redacts the name, which may be a misplaced key.
func errUnknownParameter(name string) error {
	name = apikeys.Redact(name)
	return apperr.NewField(name,
		"Unknown query parameter `%s`. This endpoint takes `from`, `to` and `groupId`.",
		cmp.Or(input.Excerpt(name), "="))
}
