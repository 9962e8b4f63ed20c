package reports

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/input"
	"dg/web/ui"
)

type pageURL struct {
	BasePath string // without a query
	query    url.Values
}

// Links and forms keep keptParams and drop otherParams.
var (
	keptParams = []string{
		"from", "to", "groupId", "compare", "show", "q", "sort", "player", "passed", "skills",
	}
	otherParams = []string{"page", "format"}
)

// parsePageURL refuses a repeated known parameter as ambiguous, and an unknown one with "group" in
// its name: without a misspelt groupId, the page would show the figures of all players.
func parsePageURL(c *fiber.Ctx, basePath string) (pageURL, error) {
	u := pageURL{basePath, url.Values{}}
	known, unknown := httpserver.Query(c, slices.Concat(keptParams, otherParams)...)
	for name, values := range known {
		if len(values) > 1 {
			return u, apperr.NewField(name,
				"The parameter “%s” is repeated in the address of this page. Use it once.", name)
		}
		u.query.Set(name, apikeys.Redact(strings.TrimSpace(strings.ToValidUTF8(values[0], "\uFFFD"))))
	}
	for _, name := range unknown {
		if strings.Contains(strings.ToLower(name), "group") {
			return u, apperr.NewField("groupId",
				"A parameter in the address of this page is unknown. Use “groupId”.")
		}
	}
	if group := u.Param("groupId"); group != "" {
		u.query.Set("groupId", input.ID(group))
	}
	return u, nil
}

// Param returns the value of a parameter, or "". A groupId is in lower case.
func (u pageURL) Param(name string) string { return u.query.Get(name) }

// withParams returns u with changed parameters, given as pairs of name and value. An empty value
// removes a parameter.
func (u pageURL) withParams(changes ...string) pageURL {
	changed := pageURL{u.BasePath, url.Values{}}
	for _, p := range u.Fields() {
		changed.query.Set(p.Name, p.Value)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changed.query.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			changed.query.Del(changes[i])
		}
	}
	return changed
}

func (u pageURL) Path(changes ...string) string {
	changed := u.withParams(changes...)
	if len(changed.query) == 0 {
		return changed.BasePath
	}
	return changed.BasePath + "?" + changed.query.Encode()
}

func (u pageURL) withPeriod(p reports.Period) pageURL {
	return u.withParams("from", p.Day(0), "to", p.Day(p.Days-1))
}

// at returns the address of another screen with the same period and comparison.
func (u pageURL) at(basePath string) pageURL {
	return pageURL{basePath, nil}.withParams("from", u.Param("from"), "to", u.Param("to"),
		"compare", u.Param("compare"))
}

type param struct{ Name, Value string }

func (u pageURL) Fields(except ...string) (params []param) {
	for _, name := range keptParams {
		if value := u.Param(name); value != "" && !slices.Contains(except, name) {
			params = append(params, param{name, value})
		}
	}
	return params
}

func (u pageURL) period(today time.Time) (reports.Period, error) {
	if !u.query.Has("from") && !u.query.Has("to") {
		return lastDays(today, defaultDays), nil
	}
	p, err := reports.ParsePeriod(u.Param("from"), u.Param("to"))
	if err == nil {
		return p, nil
	}
	field := apperr.From(err).Field
	switch {
	case p == reports.Period{}:
		return p, apperr.NewField(field, "“%s” is not a date. "+
			"Choose a date from 1 Jan 2000 to 31 Dec 2199.", ui.Capitalise(field))
	case p.Days < 1:
		return p, apperr.NewField("to", "“To” (%s) is before “From” (%s).",
			ui.Day(p.From.AddDate(0, 0, p.Days-1)), ui.Day(p.From))
	}
	return p, apperr.NewField("to", "The period has %s days. Choose %d days or fewer.",
		ui.Count(int64(p.Days)), reports.MaxPeriodDays)
}

const defaultDays = 28

// lastDays returns the last n complete days, which end yesterday.
func lastDays(today time.Time, n int) reports.Period {
	return reports.Period{From: today.AddDate(0, 0, -n), Days: n}
}

func weekStart(day time.Time) time.Time {
	return day.AddDate(0, 0, -(int(day.Weekday()-time.Monday)+7)%7)
}

type preset struct {
	name   string
	period reports.Period
}

// presets returns the choices of the period menu. The last 7, 28 or 90 days and 12 months end
// yesterday. The current week, month, quarter and year end today.
func presets(today time.Time) []preset {
	month := today.AddDate(0, 0, 1-today.Day())
	quarter := month.AddDate(0, -int(month.Month()-1)%3, 0)
	year := month.AddDate(0, 1-int(month.Month()), 0)
	week := weekStart(today)
	return []preset{
		{"Today", reports.NewPeriod(today, today)},
		{"7 days", lastDays(today, 7)},
		{"28 days", lastDays(today, defaultDays)},
		{"90 days", lastDays(today, 90)},
		{"12 months", reports.NewPeriod(today.AddDate(-1, 0, 0), today.AddDate(0, 0, -1))},
		{"This week", reports.NewPeriod(week, today)},
		{"Last week", reports.NewPeriod(week.AddDate(0, 0, -7), week.AddDate(0, 0, -1))},
		{"This month", reports.NewPeriod(month, today)},
		{"Last month", reports.NewPeriod(month.AddDate(0, -1, 0), month.AddDate(0, 0, -1))},
		{"This quarter", reports.NewPeriod(quarter, today)},
		{"Last quarter", reports.NewPeriod(quarter.AddDate(0, -3, 0), quarter.AddDate(0, 0, -1))},
		{"This year", reports.NewPeriod(year, today)},
	}
}

func presetNamed(today time.Time, name string) reports.Period {
	choices := presets(today)
	return choices[slices.IndexFunc(choices, func(p preset) bool { return p.name == name })].period
}
