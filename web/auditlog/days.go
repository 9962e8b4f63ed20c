package auditlog

import (
	"net/url"
	"time"
	_ "time/tzdata" // the zones of readers, whatever the machine has

	"dg/platform/input"
	"dg/web/ui"
)

// auditDays are the days of a filter: a preset or two dates, and the zone whose days they are. The
// rows use the same zone.
type auditDays struct {
	Days    []dayField
	Presets []auditPreset
	Zone    string // "": the reader's, which the script knows
	ZoneErr string
	preset  string
	zone    *time.Location
	from    time.Time
	to      time.Time // the day after the last
}

// auditPreset is a period that one click selects. It is relative: its address stays right tomorrow.
type auditPreset struct {
	Key, Name, Path string
	Current         bool
	days            func(l ui.Locale, today time.Time) (first, last time.Time)
}

func auditPresets() []auditPreset {
	last := func(n int) func(ui.Locale, time.Time) (first, last time.Time) {
		return func(_ ui.Locale, today time.Time) (first, last time.Time) {
			return today.AddDate(0, 0, 1-n), today
		}
	}
	return []auditPreset{
		{Key: "today", Name: "Today", days: last(1)},
		{Key: "7-days", Name: "7 days", days: last(7)},
		{
			Key:  "last-week",
			Name: "Last week",
			days: func(l ui.Locale, today time.Time) (first, last time.Time) {
				week := l.WeekOf(today)
				return week.AddDate(0, 0, -7), week.AddDate(0, 0, -1)
			},
		},
		{Key: "30-days", Name: "30 days", days: last(30)},
	}
}

// newAuditDays reads the days of an address. Without a zone they are UTC days.
func newAuditDays(l ui.Locale, now time.Time, query url.Values) auditDays {
	d := auditDays{
		Days:    []dayField{{Name: "from", Label: "From"}, {Name: "to", Label: "To"}},
		Presets: auditPresets(),
		preset:  query.Get("period"),
	}
	d.chooseZone(query.Get("zone"))
	days := d.parse(l, query)
	if d.Zone == "" && (d.preset != "" || d.Days[0].Value+d.Days[1].Value != "") {
		d.Zone = "UTC"
	}
	for i := range d.Presets {
		if p := &d.Presets[i]; p.Key == d.preset {
			p.Current = true
			first, last := p.days(l, dayOf(now.In(d.zone)))
			d.from = d.midnight(first)
			d.to = d.midnight(last.AddDate(0, 0, 1))
			return d
		}
	}
	if d.preset != "" {
		d.preset = ""
		d.Days[0].Error = "The period is unknown. Choose one above the filters, or two dates."
	}
	if from := days[0]; !from.IsZero() {
		d.from = d.midnight(from)
	}
	if to := days[1]; !to.IsZero() {
		d.to = d.midnight(to.AddDate(0, 0, 1))
	}
	return d
}

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

// parse reads the two dates, and keeps what is invalid in their fields.
func (d *auditDays) parse(l ui.Locale, query url.Values) (days [2]time.Time) {
	for i := range d.Days {
		f := &d.Days[i]
		values := query[f.Name]
		if len(values) == 0 || len(values) == 1 && values[0] == "" {
			continue
		}
		f.Value = truncate(values[0], maxDayText)
		var ok bool
		if days[i], ok = input.ParseDay(values[0]); !ok || len(values) > 1 {
			f.Error = "“" + f.Label + "” is not a date. " + ui.ValidDates(l)
		}
	}
	switch from, to := days[0], days[1]; {
	case !from.IsZero() && !to.IsZero() && to.Before(from):
		d.Days[1].Error = ui.ToBeforeFrom(l, from, to)
	case d.preset != "" && d.Days[0].Value+d.Days[1].Value != "":
		d.preset = "" // dates that were typed go before the preset of the page
	}
	return days
}

// dayOf is the day of an instant in its zone.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// midnight is when a day begins in the zone.
func (d *auditDays) midnight(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, d.zone)
}

// addTo adds the days to a query.
func (d *auditDays) addTo(q url.Values) {
	if d.preset != "" {
		q.Set("period", d.preset)
	}
	for _, f := range d.Days {
		if f.Value != "" {
			q.Set(f.Name, f.Value)
		}
	}
	if len(q) > 0 && d.Zone != "" {
		q.Set("zone", d.Zone)
	}
}
