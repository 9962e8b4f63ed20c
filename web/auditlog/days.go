package auditlog

import (
	"cmp"
	"fmt"
	"net/url"
	"time"
	_ "time/tzdata" // the zones of readers, whatever the machine has

	"dg/platform/input"
	"dg/web/ui"
)

// auditDays are the days of a filter, by a preset or two dates, in a zone. The rows use the same zone.
type auditDays struct {
	Days    []dayField
	Zone    string // "": the reader's, which the script knows
	ZoneErr string
	zone    *time.Location
	from    time.Time
	to      time.Time // the day after the last
}

// auditPreset is a period relative to today: its address stays right tomorrow.
type auditPreset struct {
	ui.Option
	days func(today time.Time) (first, last time.Time)
}

// twoDates is the period of the two date fields.
const twoDates = "dates"

func lastDays(n int) func(time.Time) (first, last time.Time) {
	return func(today time.Time) (first, last time.Time) {
		return today.AddDate(0, 0, 1-n), today
	}
}

func lastWeek(today time.Time) (first, last time.Time) {
	week := ui.WeekOf(today)
	return week.AddDate(0, 0, -7), week.AddDate(0, 0, -1)
}

var auditPresets = []auditPreset{
	{ui.Option{Value: "today", Text: "Today"}, lastDays(1)},
	{ui.Option{Value: "7-days", Text: "7 days"}, lastDays(7)},
	{ui.Option{Value: "last-week", Text: "Last week"}, lastWeek},
	{ui.Option{Value: "30-days", Text: "30 days"}, lastDays(30)},
}

func periodField() selectField {
	f := newSelect("period", "Period", "Any time")
	for _, p := range auditPresets {
		f.Options = append(f.Options, p.Option)
	}
	f.add(twoDates, "Dates")
	return f
}

// newAuditDays reads the days of an address, in UTC unless it has a zone. A preset takes precedence
// over the two dates, whose fields it hides.
func newAuditDays(now time.Time, query url.Values, period string) auditDays {
	d := auditDays{Days: []dayField{{Name: "from", Label: "From"}, {Name: "to", Label: "To"}}}
	d.chooseZone(query.Get("zone"))
	for _, p := range auditPresets {
		if p.Value == period {
			d.Zone = cmp.Or(d.Zone, "UTC")
			first, last := p.days(dayOf(now.In(d.zone)))
			d.from = d.midnight(first)
			d.to = d.midnight(last.AddDate(0, 0, 1))
			return d
		}
	}
	days := d.parse(query)
	if d.dated() {
		d.Zone = cmp.Or(d.Zone, "UTC")
	}
	if from := days[0]; !from.IsZero() {
		d.from = d.midnight(from)
	}
	if to := days[1]; !to.IsZero() {
		d.to = d.midnight(to.AddDate(0, 0, 1))
	}
	return d
}

// dated reports whether a date is filled in.
func (d *auditDays) dated() bool { return d.Days[0].Value+d.Days[1].Value != "" }

// chooseZone reads the name of a zone, such as Europe/Berlin.
func (d *auditDays) chooseZone(name string) {
	d.zone = time.UTC
	if name == "" {
		return
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" || len(name) > maxDayText {
		d.ZoneErr = "The time zone of this address is unknown. Open the audit log again."
		return
	}
	d.Zone = name
	d.zone = zone
}

// parse reads the two dates. Their fields keep invalid texts.
func (d *auditDays) parse(query url.Values) (days [2]time.Time) {
	for i := range d.Days {
		f := &d.Days[i]
		values := query[f.Name]
		if len(values) == 0 || len(values) == 1 && values[0] == "" {
			continue
		}
		f.Value = truncate(values[0], maxDayText)
		var ok bool
		if days[i], ok = input.ParseDay(values[0]); !ok || len(values) > 1 {
			f.Error = fmt.Sprintf("“%s” is not a date. %s", f.Label, ui.ValidDates())
		}
	}
	if from, to := days[0], days[1]; !from.IsZero() && !to.IsZero() && to.Before(from) {
		d.Days[1].Error = ui.ToBeforeFrom(from, to)
	}
	return days
}

// dayOf returns the day of an instant in its zone.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// midnight returns the beginning of a day in the zone.
func (d *auditDays) midnight(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, d.zone)
}

// addTo adds the days to a query.
func (d *auditDays) addTo(q url.Values) {
	for _, f := range d.Days {
		if f.Value != "" {
			q.Set(f.Name, f.Value)
		}
	}
	if len(q) > 0 && d.Zone != "" {
		q.Set("zone", d.Zone)
	}
}
