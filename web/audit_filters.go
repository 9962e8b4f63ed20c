package web

import (
	"net/url"
	"time"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/input"
)

// auditFilters are the fields above the log, and the filter that they make.
type auditFilters struct {
	Selects []selectField
	Days    []dayField
	filter  audit.Filter
	locale  locale
}

// selectField is a field whose first option means all.
type selectField struct {
	Name, Label, Value, Error string
	Options                   []option
}

type option struct{ Value, Text string }

// dayField is a date field. It keeps an invalid value.
type dayField struct{ Name, Label, Value, Error string }

const (
	anyKey      = "keys"     // the actor that stands for all keys
	theOperator = "operator" // and the one that runs the service
	// maxKeyOptions is how many keys are offered: the newest, and the selected one.
	maxKeyOptions = 200
	maxOption     = 40 // characters
	maxDayText    = 40 // of an invalid date
)

// newAuditFilters reads the fields from an address. A value that is not offered is an error of its field.
func newAuditFilters(l locale, query url.Values, people []audit.Actor, keys []apikeys.Key) auditFilters {
	f := auditFilters{
		locale:  l,
		Selects: []selectField{actorField(people), actionField(), keyField(keys, query.Get("key")), reasonField()},
		Days:    []dayField{{Name: "from", Label: "From"}, {Name: "to", Label: "To"}},
	}
	for i := range f.Selects {
		f.Selects[i].choose(query[f.Selects[i].Name])
	}
	f.chooseDays(l, query)
	f.filter.Action, f.filter.KeyID, f.filter.Reason = audit.Action(f.Selects[1].Value), f.Selects[2].Value, audit.Reason(f.Selects[3].Value)
	switch actor := f.Selects[0].Value; actor {
	case "":
	case anyKey:
		f.filter.Kind = audit.Key
	case theOperator:
		f.filter.Kind = audit.Operator
	default:
		f.filter.Kind, f.filter.PersonID = audit.Person, actor
	}
	return f
}

func actorField(people []audit.Actor) selectField {
	f := selectField{Name: "actor", Label: "Actor", Options: []option{{"", "Anyone"}}}
	for _, p := range people {
		if p.ID != "" {
			f.Options = append(f.Options, option{p.ID, truncate(p.Name, maxOption)})
		}
	}
	f.Options = append(f.Options, option{anyKey, "Any key"}, option{theOperator, audit.TheOperator.Name})
	return f
}

func actionField() selectField {
	f := selectField{Name: "action", Label: "Action", Options: []option{{"", "Any"}}}
	for _, a := range audit.Actions {
		f.Options = append(f.Options, option{string(a), actionLabels[a]})
	}
	return f
}

func keyField(keys []apikeys.Key, selected string) selectField {
	f := selectField{Name: "key", Label: "Key", Options: []option{{"", "Any"}}}
	for i, k := range keys {
		if i < maxKeyOptions || selected == k.ID {
			f.Options = append(f.Options, option{k.ID, truncate(k.Name, maxOption)})
		}
	}
	return f
}

func reasonField() selectField {
	f := selectField{Name: "reason", Label: "Reason", Options: []option{{"", "Any"}}}
	for _, r := range audit.Reasons {
		f.Options = append(f.Options, option{string(r), reasonLabels[r].short})
	}
	return f
}

// choose sets the value to that of an option, so that nothing of the request is kept.
func (f *selectField) choose(values []string) {
	if len(values) == 0 {
		return
	}
	for _, o := range f.Options {
		if len(values) == 1 && o.Value == values[0] {
			f.Value = o.Value
			return
		}
	}
	f.Error = "The " + f.Label + " filter has an unknown value. Choose one from the list."
}

func (f *auditFilters) chooseDays(l locale, query url.Values) {
	var days [2]time.Time
	for i := range f.Days {
		d := &f.Days[i]
		values := query[d.Name]
		if len(values) == 0 || len(values) == 1 && values[0] == "" {
			continue
		}
		d.Value = truncate(values[0], maxDayText)
		var ok bool
		if days[i], ok = input.ParseDay(values[0]); !ok || len(values) > 1 {
			d.Error = "“" + d.Label + "” is not a date. " + validDates(l)
		}
	}
	from, to := days[0], days[1]
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		f.Days[1].Error = toBeforeFrom(l, from, to)
	}
	f.filter.From = from
	if !to.IsZero() {
		f.filter.To = to.AddDate(0, 0, 1)
	}
}

// Errors are the errors of the fields, in their order.
func (f auditFilters) Errors() []formError {
	var all []formError
	for _, s := range f.Selects {
		if s.Error != "" {
			all = append(all, formError{s.Name, s.Error})
		}
	}
	for _, d := range f.Days {
		if d.Error != "" {
			all = append(all, formError{d.Name, d.Error})
		}
	}
	return all
}

// query is the fields with a value, as an address has them.
func (f auditFilters) query() url.Values {
	q := url.Values{}
	for _, s := range f.Selects {
		if s.Value != "" {
			q.Set(s.Name, s.Value)
		}
	}
	for _, d := range f.Days {
		if d.Value != "" {
			q.Set(d.Name, d.Value)
		}
	}
	return q
}

// Any reports whether any filter is set.
func (f auditFilters) Any() bool { return len(f.query()) > 0 }

// Period is the chosen days in words, or "".
func (f auditFilters) Period() string {
	words := ""
	if !f.filter.From.IsZero() {
		words += " from " + f.locale.LongDay(f.filter.From)
	}
	if !f.filter.To.IsZero() {
		words += " to " + f.locale.LongDay(f.filter.To.AddDate(0, 0, -1))
	}
	return words
}
