package auditlog

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/web/ui"
)

// auditFilters are the fields above the log, and their filter.
type auditFilters struct {
	Selects []selectField
	auditDays
	filter audit.Filter
}

// auditOptions are the people, keys and forks that filters offer.
type auditOptions struct {
	people []audit.Actor
	keys   []apikeys.Key
	forks  []games.Fork
}

// Main are the fields that are always visible.
func (f auditFilters) Main() []selectField { return f.Selects[:3] }

// More are the fields that are folded away.
func (f auditFilters) More() []selectField { return f.Selects[3:] }

// MoreUsed reports whether any of the folded fields is set or wrong.
func (f auditFilters) MoreUsed() bool {
	return slices.ContainsFunc(f.More(), func(s selectField) bool { return s.Value+s.Error != "" })
}

// Chosen are the filters that are set, each with its value in words.
func (f auditFilters) Chosen() []ui.Option {
	var all []ui.Option
	for _, s := range f.Selects {
		for _, o := range s.Options {
			if o.Value != s.Value || o.Value == "" {
				continue
			}
			if s.Name == "period" {
				o.Text = f.period()
			}
			all = append(all, ui.Option{Value: s.Label, Text: o.Text})
		}
	}
	return all
}

// selectField is a field whose first option means all.
type selectField struct {
	Name, Label, Value, Error string
	Options                   []ui.Option
}

// dayField is a date field. It keeps an invalid value.
type dayField struct{ Name, Label, Value, Error string }

const (
	anyKey      = "keys"     // the option for all keys
	theOperator = "operator" // the option for the operator of the service
	// maxKeyOptions is how many keys are offered: the newest, and the selected one.
	maxKeyOptions = 200
	maxOption     = 40 // characters
	idEnd         = 6  // characters of an id that tell keys of one name apart
	// maxForkOptions is how many forks are offered: the oldest, and the selected one.
	maxForkOptions = 200
	maxDayText     = 40 // of an invalid date
)

// newAuditFilters reads the fields from an address. A value that is not offered is an error of its
// field.
func newAuditFilters(
	now time.Time, query url.Values, offered auditOptions,
) auditFilters {
	f := auditFilters{
		Selects: []selectField{
			actionField(), actorField(offered.people), periodField(),
			keyField(offered.keys, query.Get("key")), reasonField(),
			forkField(offered.forks, query.Get("fork")),
		},
	}
	for i := range f.Selects {
		f.Selects[i].choose(query[f.Selects[i].Name])
	}
	f.auditDays = newAuditDays(now, query, f.value("period"))
	if f.dated() {
		f.Selects[2].Value = twoDates
	}
	f.filter.From = f.from
	f.filter.To = f.to
	f.filter.Action = audit.Action(f.value("action"))
	f.filter.KeyID = f.value("key")
	f.filter.Reason = audit.Reason(f.value("reason"))
	f.filter.ForkID = f.value("fork")
	switch actor := f.value("actor"); actor {
	case "":
	case anyKey:
		f.filter.Kind = audit.Key
	case theOperator:
		f.filter.Kind = audit.Operator
	default:
		f.filter.Kind = audit.Person
		f.filter.PersonID = actor
	}
	return f
}

// value returns the chosen value of the select, or "".
func (f auditFilters) value(name string) string {
	i := slices.IndexFunc(f.Selects, func(s selectField) bool { return s.Name == name })
	return f.Selects[i].Value
}

// newSelect returns a field whose first option selects everything.
func newSelect(name, label, everything string) selectField {
	return selectField{Name: name, Label: label, Options: []ui.Option{{Value: "", Text: everything}}}
}

func (f *selectField) add(value, text string) {
	f.Options = append(f.Options, ui.Option{Value: value, Text: truncate(text, maxOption)})
}

func actorField(people []audit.Actor) selectField {
	f := newSelect("actor", "Actor", "Anyone")
	for _, p := range people {
		if p.ID != "" {
			f.add(p.ID, p.Name)
		}
	}
	f.add(anyKey, "Any key")
	f.add(theOperator, audit.TheOperator.Name)
	return f
}

func actionField() selectField {
	f := newSelect("action", "Action", "Any")
	for _, a := range audit.Actions {
		f.add(string(a), actionLabels[a])
	}
	return f
}

func keyField(keys []apikeys.Key, selected string) selectField {
	f := newSelect("key", "Key", "Any")
	named := map[string]int{}
	for _, k := range keys {
		named[k.Name]++
	}
	for i, k := range keys {
		text := truncate(k.Name, maxOption)
		if named[k.Name] > 1 { // a key and its replacement
			text += " …" + k.ID[max(0, len(k.ID)-idEnd):]
		}
		if i < maxKeyOptions || selected == k.ID {
			f.Options = append(f.Options, ui.Option{Value: k.ID, Text: text})
		}
	}
	return f
}

func reasonField() selectField {
	f := newSelect("reason", "Reason", "Any")
	for _, r := range audit.Reasons {
		f.add(string(r), reasonLabels[r].short)
	}
	return f
}

func forkField(forks []games.Fork, selected string) selectField {
	f := newSelect("fork", "Fork", "Any")
	for i, k := range forks {
		if i < maxForkOptions || selected == k.ID {
			f.add(k.ID, k.Title)
		}
	}
	return f
}

// choose sets the value to that of an option: the request's own bytes are reused later.
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
	f.Error = fmt.Sprintf("The %s filter has an unknown value. Choose one from the list.", f.Label)
}

// Errors are the errors of the fields, in their order.
func (f auditFilters) Errors() []ui.FormError {
	var all []ui.FormError
	for _, s := range f.Selects {
		if s.Error != "" {
			all = append(all, ui.FormError{Field: s.Name, Message: s.Error})
		}
	}
	if f.ZoneErr != "" {
		all = append(all, ui.FormError{Field: "zone", Message: f.ZoneErr})
	}
	for _, d := range f.Days {
		if d.Error != "" {
			all = append(all, ui.FormError{Field: d.Name, Message: d.Error})
		}
	}
	return all
}

// query is the fields with a value, as an address has them.
func (f auditFilters) query() url.Values {
	q := url.Values{}
	for _, s := range f.Selects {
		if s.Value != "" && s.Value != twoDates { // the dates say it
			q.Set(s.Name, s.Value)
		}
	}
	f.addTo(q)
	return q
}

// Any reports whether any filter is set.
func (f auditFilters) Any() bool { return len(f.query()) > 0 }

// period is the chosen days in words.
func (f auditFilters) period() string {
	first := ui.Day(dayOf(f.from))
	last := ui.Day(dayOf(f.to).AddDate(0, 0, -1))
	switch {
	case f.from.IsZero() && f.to.IsZero():
		return "Any time"
	case f.to.IsZero():
		return fmt.Sprintf("From %s", first)
	case f.from.IsZero():
		return fmt.Sprintf("Until %s", last)
	}
	return fmt.Sprintf("%s to %s", first, last)
}
