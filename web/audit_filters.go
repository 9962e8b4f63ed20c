package web

import (
	"net/url"
	"time"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/input"
)

// auditFilters are the fields above the log, as they were filled in, and what they ask for.
type auditFilters struct {
	Selects []selectField
	Days    []dayField
	filter  audit.Filter
}

// selectField is a field to choose from, of which the first option means all.
type selectField struct {
	Name, Label, Value, Error string
	Options                   []option
}

type option struct{ Value, Text string }

// dayField is a field for a day. What is no day stays in it.
type dayField struct{ Name, Label, Value, Error string }

const (
	anyKey = "keys" // the actor that stands for all keys
	// maxKeyOptions is how many keys are offered: the newest, and the one that is chosen.
	maxKeyOptions = 200
	maxOption     = 40 // characters
)

// newAuditFilters reads the fields from an address. A value that is not offered is an error beside its field, and what the
// other fields hold stays.
func newAuditFilters(query url.Values, people []audit.Actor, keys []apikeys.Key) auditFilters {
	actor := selectField{Name: "actor", Label: "Actor", Options: []option{{"", "Anyone"}}}
	for _, p := range people {
		if p.ID != "" {
			actor.Options = append(actor.Options, option{p.ID, shortened(p.Name, maxOption)})
		}
	}
	actor.Options = append(actor.Options, option{anyKey, "Any key"})
	action := selectField{Name: "action", Label: "Action", Options: []option{{"", "Any"}}}
	for _, a := range audit.Actions {
		action.Options = append(action.Options, option{string(a), actionLabels[a]})
	}
	key := selectField{Name: "key", Label: "Key", Options: []option{{"", "Any"}}}
	for i, k := range keys {
		if i < maxKeyOptions || query.Get("key") == k.ID {
			key.Options = append(key.Options, option{k.ID, shortened(k.Name, maxOption)})
		}
	}
	reason := selectField{Name: "reason", Label: "Reason", Options: []option{{"", "Any"}}}
	for _, r := range audit.Reasons {
		reason.Options = append(reason.Options, option{string(r), reasonLabels[r].short})
	}
	f := auditFilters{
		Selects: []selectField{actor, action, key, reason},
		Days:    []dayField{{Name: "from", Label: "From"}, {Name: "to", Label: "To"}},
	}
	for i := range f.Selects {
		f.Selects[i].choose(query[f.Selects[i].Name])
	}
	f.chooseDays(query)
	f.filter.Action, f.filter.KeyID, f.filter.Reason = audit.Action(f.Selects[1].Value), f.Selects[2].Value, audit.Reason(f.Selects[3].Value)
	switch who := f.Selects[0].Value; who {
	case "":
	case anyKey:
		f.filter.Kind = audit.Key
	default:
		f.filter.Kind, f.filter.PersonID = audit.Person, who
	}
	return f
}

// choose takes the value of the option that is meant, so that nothing of the request is kept.
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
	f.Error = f.Label + " has no such choice. Choose one of the list."
}

const maxDayText = 40 // of what is put back into a field

func (f *auditFilters) chooseDays(query url.Values) {
	var days [2]time.Time
	for i := range f.Days {
		d := &f.Days[i]
		values := query[d.Name]
		if len(values) == 0 || len(values) == 1 && values[0] == "" {
			continue
		}
		d.Value = shortened(values[0], maxDayText)
		var ok bool
		if days[i], ok = input.Day(values[0]); !ok || len(values) > 1 {
			d.Error = d.Label + " is not a day. Choose a day from 1 January 2000 to 31 December 2199."
		}
	}
	from, to := days[0], days[1]
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		f.Days[1].Error = "From " + from.Format(longDay) + " to " + to.Format(longDay) + " runs backwards. Swap the days."
	}
	f.filter.From = from
	if !to.IsZero() {
		f.filter.To = to.AddDate(0, 0, 1)
	}
}

// wrong says whether a field holds what it does not offer.
func (f auditFilters) wrong() bool { return len(f.Errors()) > 0 }

// fieldError is what is wrong with a field.
type fieldError struct{ Name, Message string }

// Errors are those of the fields, in their order.
func (f auditFilters) Errors() []fieldError {
	var all []fieldError
	for _, s := range f.Selects {
		if s.Error != "" {
			all = append(all, fieldError{s.Name, s.Error})
		}
	}
	for _, d := range f.Days {
		if d.Error != "" {
			all = append(all, fieldError{d.Name, d.Error})
		}
	}
	return all
}

// query are the fields that are filled in, as an address has them.
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

// Any says whether the log is filtered at all.
func (f auditFilters) Any() bool { return len(f.query()) > 0 }

// Period is the chosen days in words, or "".
func (f auditFilters) Period() string {
	from, to := f.filter.From, f.filter.To.AddDate(0, 0, -1)
	switch {
	case f.filter.From.IsZero() && f.filter.To.IsZero():
		return ""
	case f.filter.From.IsZero():
		return " to " + to.Format(longDay)
	case f.filter.To.IsZero():
		return " from " + from.Format(longDay)
	}
	return " from " + from.Format(longDay) + " to " + to.Format(longDay)
}
