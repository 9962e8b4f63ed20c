package web

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/input"
)

// params is what the address of a report asks for, as it was typed.
type params struct {
	From, To, Group string
	period          bool // whether it names a day at all
}

// maxTyped bounds what is kept of each.
const maxTyped = 64

// parseParams reads the address. What is repeated is an error: nobody knows which one was meant.
func parseParams(c *fiber.Ctx) (params, error) {
	var a params
	fields := map[string]*string{"from": &a.From, "to": &a.To, "group": &a.Group}
	seen := map[string]bool{}
	for key, value := range c.Context().QueryArgs().All() {
		name := string(key)
		if fields[name] == nil {
			continue
		}
		if seen[name] {
			return a, apperr.NewField(name, "The address of this page names “%s” more than once. Name it once.", name)
		}
		seen[name], *fields[name] = true, strings.ToValidUTF8(string(value[:min(len(value), maxTyped)]), "\uFFFD")
	}
	a.period = seen["from"] || seen["to"]
	return a, nil
}

// usualDays is the period of an address that names none.
const usualDays = 28

// in returns the period that the address asks for. Where it names none, that is written into it.
// Errors: a periodError.
func (a *params) in(today time.Time) (reports.Period, error) {
	if !a.period {
		p := lastDays(today, usualDays)
		a.From, a.To = p.Day(0), p.Day(p.Days-1)
		return p, nil
	}
	p, err := reports.ParsePeriod(a.From, a.To)
	if err == nil {
		return p, nil
	}
	from, fromIsDay := input.Day(a.From)
	to, toIsDay := input.Day(a.To)
	wrong := &periodError{From: fromIsDay == toIsDay || !fromIsDay, To: fromIsDay == toIsDay || !toIsDay}
	const aDay = "Choose a day from 1 January 2000 to 31 December 2199."
	switch {
	case !fromIsDay && !toIsDay:
		wrong.message = "From and To are not days. " + aDay
	case !fromIsDay:
		wrong.message = "From is not a day. " + aDay
	case !toIsDay:
		wrong.message = "To is not a day. " + aDay
	case to.Before(from):
		wrong.message = fmt.Sprintf("From %s to %s runs backwards. Swap the days.", from.Format(longDay), to.Format(longDay))
	default:
		days := int(to.Sub(from).Hours()/24) + 1
		wrong.message = fmt.Sprintf("From %s to %s is %s days. Choose %d days or fewer.",
			from.Format(longDay), to.Format(longDay), count(int64(days)), reports.MaxPeriodDays)
	}
	return reports.Period{}, wrong
}

// periodError says what is wrong with the days of an address, and which of the two fields.
type periodError struct {
	message  string
	From, To bool
}

// Error is the sentence for the reader.
func (e *periodError) Error() string { return e.message }

// The forms of a day.
const (
	longDay  = "2 January 2006"
	shortDay = "2 Jan 2006"
)

// lastDays is the period of n days that ends today.
func lastDays(today time.Time, n int) reports.Period {
	return reports.Period{From: today.AddDate(0, 0, 1-n), Days: n}
}

// between is the period of two days, both included.
func between(first, last time.Time) reports.Period {
	return reports.Period{From: first, Days: int(last.Sub(first).Hours()/24) + 1}
}

// lastDay is the period's last day.
func lastDay(p reports.Period) time.Time { return p.From.AddDate(0, 0, p.Days-1) }

// today is the UTC day.
func (h *Handler) today() time.Time { return h.now().UTC().Truncate(24 * time.Hour) }

// preset is a period that is chosen with one click.
type preset struct {
	Name    string
	Path    string
	Current bool
	period  reports.Period
}

// presets are those of today. A year begins on the day after the same day a year ago.
func presets(today time.Time) []preset {
	month := today.AddDate(0, 0, 1-today.Day())
	return []preset{
		{Name: "7 days", period: lastDays(today, 7)},
		{Name: "28 days", period: lastDays(today, usualDays)},
		{Name: "90 days", period: lastDays(today, 90)},
		{Name: "This month", period: between(month, today)},
		{Name: "Last month", period: between(month.AddDate(0, -1, 0), month.AddDate(0, 0, -1))},
		{Name: "12 months", period: between(today.AddDate(0, 0, 1).AddDate(-1, 0, 0), today)},
	}
}

// presetLinks are the presets as links that keep the group. Those are marked whose days are the ones shown.
func presetLinks(today time.Time, base, group string, shown reports.Period) []preset {
	all := presets(today)
	for i := range all {
		p := &all[i]
		p.Current = p.period == shown
		p.Path = reportPath(base, p.period, group)
	}
	return all
}

// reportPath is the address of a report, or of what belongs to it; more are pairs of further names and values.
func reportPath(base string, p reports.Period, group string, more ...string) string {
	q := url.Values{"from": {p.Day(0)}, "to": {p.Day(p.Days - 1)}}
	if group != "" {
		q.Set("group", group)
	}
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return base + "?" + q.Encode()
}

// inWords is the period in words: 25 October to 21 November 2026.
func inWords(p reports.Period) string {
	from, to := p.From, lastDay(p)
	first := longDay
	switch {
	case p.Days == 1:
		return to.Format(longDay)
	case from.Year() != to.Year():
	case from.Month() != to.Month():
		first = "2 January"
	default:
		first = "2"
	}
	return from.Format(first) + " to " + to.Format(longDay)
}
