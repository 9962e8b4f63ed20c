package publicapi

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/apperr"
)

// reportQuery reads the parameters of the statistics and the export. It ignores unknown ones; a known one that is repeated
// or empty is an error.
// Errors: apperr.Validation.
func reportQuery(c *fiber.Ctx, fork encodedFork) (reports.Query, error) {
	values := map[string]string{"from": "", "to": "", "groupId": ""}
	seen := make(map[string]bool, len(values))
	for key, value := range c.Context().QueryArgs().All() {
		name := string(key)
		if _, known := values[name]; !known {
			continue
		}
		if seen[name] {
			return reports.Query{}, apperr.NewField(name, "Query parameter `%s` is repeated. Send it once.", name)
		}
		if len(value) == 0 {
			return reports.Query{}, errEmpty(name)
		}
		seen[name], values[name] = true, string(value)
	}
	period, err := reports.ParsePeriod(values["from"], values["to"])
	if err != nil {
		return reports.Query{}, err
	}
	return reports.Query{OrganisationID: fork.OrganisationID, ForkID: fork.ID, Period: period, GroupID: values["groupId"]}, nil
}

func errEmpty(name string) error {
	if name == "groupId" {
		return apperr.NewField(name, "Query parameter `groupId` is empty. Set it to the id of a group, or leave it out.")
	}
	return apperr.NewField(name, "Query parameter `%s` is empty. Set it to a day such as 2026-03-01.", name)
}
