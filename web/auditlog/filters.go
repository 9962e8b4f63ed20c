package auditlog

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/format"
	"dg/platform/httpserver"
	"dg/platform/input"
	"dg/web/ui"
)

// filterField is a filter of the page: a select element with Options, or else a date.
type filterField struct {
	Name, Label, Value string // Value is "" if the filter is not set
	ValueText          string // the text of Value on the page, such as an option's text
	Options            []option
	set                func(f *audit.Filter, value string, day time.Time)
}

func newFilterFields(people []audit.Actor, keys []apikeys.Key) []filterField {
	actionOptions := newOptions(audit.Actions, func(k audit.ActionDisplay) (string, string) {
		return string(k.Action), k.Label
	})
	personOptions := newOptions(people, func(p audit.Actor) (string, string) { return p.ID, p.Name })
	keyOptions := newOptions(keys, func(k apikeys.Key) (string, string) { return k.ID, k.Name })
	return []filterField{
		{Name: "action", Label: "Action", Options: actionOptions,
			set: func(f *audit.Filter, v string, _ time.Time) { f.Action = audit.Action(v) }},
		{Name: "person", Label: "Actor", Options: personOptions,
			set: func(f *audit.Filter, v string, _ time.Time) { f.PersonID = v }},
		{Name: "key", Label: "Key", Options: keyOptions,
			set: func(f *audit.Filter, v string, _ time.Time) { f.KeyID = v }},
		{Name: "from", Label: "From",
			set: func(f *audit.Filter, _ string, day time.Time) { f.From = day }},
		{Name: "to", Label: "To",
			set: func(f *audit.Filter, _ string, day time.Time) { f.To = day.AddDate(0, 0, 1) }},
	}
}

type option struct{ Value, Text string }

// newOptions returns the options of a filter. Options with equal texts show the ends of their ids.
func newOptions[T any](items []T, describe func(T) (id, name string)) []option {
	options := []option{{Value: "", Text: "Any"}}
	countByText := map[string]int{"Any": 1}
	for _, item := range items {
		id, name := describe(item)
		name = truncate(name, 40)
		options = append(options, option{Value: id, Text: name})
		countByText[name]++
	}
	for i := 1; i < len(options); i++ {
		if o := &options[i]; countByText[o.Text] > 1 {
			o.Text += " …" + o.Value[max(0, len(o.Value)-6):]
		}
	}
	slices.SortFunc(options[1:], func(a, b option) int {
		return strings.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text))
	})
	return options
}

func truncate(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return text
}

type logQuery struct {
	Fields []filterField
	keys   []apikeys.Key
	page   audit.Page

	dialect format.Dialect
}

// parse returns the filters in the query. It refuses an unknown parameter: if a misspelt filter
// were ignored, the page would show entries that the reader meant to exclude.
func (h *Handler) parse(c *fiber.Ctx, p *ui.Principal) (q logQuery, err error) {
	if q.keys, err = h.Keys.List(c.UserContext(), p.KeyActor()); err != nil {
		return q, err
	}
	// List leaves out old keys
	switch key, err := h.Keys.Key(c.UserContext(), p.KeyActor(), c.Query("key")); {
	case err == nil && !slices.ContainsFunc(q.keys, func(k apikeys.Key) bool { return k.ID == key.ID }):
		q.keys = append(q.keys, key)
	case err != nil && !apperr.Is(err, apperr.NotFound):
		return q, err
	}
	people, err := h.Log.People(c.UserContext(), p.Organisation.ID)
	if err != nil {
		return q, err
	}
	q.Fields = newFilterFields(people, q.keys)
	names := []string{"before", "format"}
	for _, f := range q.Fields {
		names = append(names, f.Name)
	}
	query, unknown := httpserver.Query(c, names...)
	var known bool
	if q.dialect, known = format.Dialects[query.Get("format")]; !known {
		return q, apperr.NewField("format", "The format is unknown. Use %s, or none for CSV.", format.ExcelName)
	}
	for i, f := range q.Fields {
		if err := q.Fields[i].read(query[f.Name], &q.page.Filter); err != nil {
			return q, err
		}
	}
	if len(unknown) > 0 {
		return q, apperr.New(apperr.Validation,
			"A parameter in the address of this page is unknown. Use %s.", strings.Join(names[2:], ", "))
	}
	if before := query.Get("before"); before != "" {
		if q.page.Before, err = strconv.ParseInt(before, 10, 64); err != nil || q.page.Before <= 0 {
			return q, apperr.New(apperr.NotFound, "Entry not found. Open the audit log again.")
		}
	}
	return q, nil
}

func (f *filterField) read(values []string, filter *audit.Filter) error {
	value := strings.Join(values, " ") // repeated values are joined into one unknown value
	if value == "" {
		return nil
	}
	day, ok := input.ParseDay(value)
	if ok && f.Options == nil {
		f.ValueText = ui.Day(day)
	}
	for _, o := range f.Options {
		if o.Value == value {
			f.ValueText = o.Text
		}
	}
	if f.ValueText == "" {
		return apperr.NewField(f.Name,
			"The filter “%s” has an unknown value. Open the audit log and choose one there.", f.Label)
	}
	f.Value = value
	f.set(filter, value, day)
	return nil
}

// hasOption reports whether value is not "" and an option of the filter.
func (q logQuery) hasOption(name, value string) bool {
	i := slices.IndexFunc(q.Fields, func(f filterField) bool { return f.Name == name })
	return slices.ContainsFunc(q.Fields[i].Options[1:], func(o option) bool { return o.Value == value })
}

func (q logQuery) Params() url.Values {
	values := url.Values{}
	for _, f := range q.Fields {
		if f.Value != "" {
			values.Set(f.Name, f.Value)
		}
	}
	return values
}

func (q logQuery) pathWith(path, name, value string) string {
	query := q.Params()
	if value != "" {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
