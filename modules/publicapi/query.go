package publicapi

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
)

// reportQuery reads the parameters of the statistics and the export. It ignores unknown ones; a known one that is repeated
// or empty is an error.
// Errors: ErrValidation, ErrGroupNotFound.
func reportQuery(c *fiber.Ctx, fork encodedFork) (reports.Query, error) {
	values := map[string]string{"from": "", "to": "", "groupId": ""}
	seen := make(map[string]bool, len(values))
	for key, value := range c.Context().QueryArgs().All() {
		name := string(key)
		if _, known := values[name]; !known {
			continue
		}
		if seen[name] {
			return reports.Query{}, apperr.NewField(name, "%s is given more than once. Give it once.", name)
		}
		if len(value) == 0 {
			return reports.Query{}, apperr.NewField(name, "%s is empty. Give it a value, or leave it out where it may be.", name)
		}
		seen[name], values[name] = true, string(value)
	}
	period, err := reports.ParsePeriod(values["from"], values["to"])
	if err != nil {
		return reports.Query{}, err
	}
	if seen["groupId"] && !org.IsID(values["groupId"]) {
		return reports.Query{}, reports.ErrGroupNotFound
	}
	return reports.Query{OrganisationID: fork.OrganisationID, ForkID: fork.ID, Period: period, GroupID: values["groupId"]}, nil
}
