package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/input"
	"dg/web/ui"
)

// params are the query parameters of a report, as they were entered.
type params struct {
	From, To, Group string
	Compare         string // what the period is compared with
	period          bool   // whether there is a from or a to
}

// parseParams reads the parameters of a report. One that is repeated is an error, since it is
// unknown which one was meant, and so is a misspelt groupId: without it the page would show
// everybody's figures.
func parseParams(c *fiber.Ctx) (params, error) {
	var p params
	fields := map[string]*string{
		"from":    &p.From,
		"to":      &p.To,
		"groupId": &p.Group,
		"compare": &p.Compare,
	}
	seen := map[string]bool{}
	for key, value := range c.Context().QueryArgs().All() {
		name := string(key)
		if fields[name] == nil {
			if strings.Contains(strings.ToLower(name), "group") {
				return p, apperr.NewField(name, "The parameter “%s” in the address of this page "+
					"is unknown. Use “groupId”.", ui.Shortened(key))
			}
			continue
		}
		if seen[name] {
			return p, ui.Repeated(name)
		}
		seen[name] = true
		*fields[name] = ui.Shortened(value)
	}
	p.Group = input.ID(p.Group)
	p.period = seen["from"] || seen["to"]
	return p, nil
}

// parsePeriod returns the period of the parameters, or the default one, which it writes into them.
// Errors: a periodError.
func (p *params) parsePeriod(today time.Time) (reports.Period, error) {
	if !p.period {
		period := ui.LastDays(today, ui.DefaultDays)
		p.From = period.Day(0)
		p.To = period.Day(period.Days - 1)
		return period, nil
	}
	period, err := reports.ParsePeriod(p.From, p.To)
	if err == nil {
		return period, nil
	}
	from, fromIsDay := input.ParseDay(p.From)
	to, toIsDay := input.ParseDay(p.To)
	invalid := &periodError{
		From: fromIsDay == toIsDay || !fromIsDay,
		To:   fromIsDay == toIsDay || !toIsDay,
	}
	switch {
	case !fromIsDay && !toIsDay:
		invalid.message = fmt.Sprintf("“From” and “To” are not dates. %s", ui.ValidDates)
	case !fromIsDay:
		invalid.message = fmt.Sprintf("“From” is not a date. %s", ui.ValidDates)
	case !toIsDay:
		invalid.message = fmt.Sprintf("“To” is not a date. %s", ui.ValidDates)
	case to.Before(from):
		invalid.message = ui.ToBeforeFrom(from, to)
	default:
		invalid.message = fmt.Sprintf("The period has %s days. Choose %d days or fewer.",
			ui.Count(int64(ui.Between(from, to).Days)), reports.MaxPeriodDays)
	}
	return reports.Period{}, invalid
}

// periodError is an invalid period, with its invalid fields.
type periodError struct {
	message  string
	From, To bool
}

// Error is the message for the reader.
func (e *periodError) Error() string { return e.message }
