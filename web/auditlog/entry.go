package auditlog

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/web/ui"
)

// entryView is an entry as the page shows it: as a row that unfolds to all values.
type entryView struct {
	audit.Entry
	Label  string
	Row    []value // the values that audit.ActionDisplay.Row selects
	Values []value // all values
}

// value is a value of an entry under the label Term. The page shows At, if set, in place of Text;
// Code is an id or other technical text.
type value struct {
	Name, Term, Text, Code string
	At                     *time.Time
}

// maxInRow bounds the characters of a value in a row. Unfolded, the entry shows whole values.
const maxInRow = 60

// names has the current names of keys, forks and groups, by target kind and id.
type names map[string]map[string]string

// namesIn returns the names of the organisation's keys and forks, and of its groups if an entry has
// a groupId. Of more than org.MaxGroups groups some may lack a name. Errors: those of ui.ForksOf
// and ui.GroupsOf.
func (h *Handler) namesIn(
	ctx context.Context, p *ui.Principal, entries []audit.Entry, keys []apikeys.Key,
) (names, error) {
	n := names{"api_key": {}, "fork": {}, "group": {}}
	for _, k := range keys {
		n["api_key"][k.ID] = k.Name
	}
	forks, err := ui.ForksOf(ctx, h.Forks, p)
	for _, f := range forks {
		n["fork"][f.ID] = f.Title
	}
	i := slices.IndexFunc(entries, func(e audit.Entry) bool { return textOf(e, "groupId") != "" })
	if err != nil || i < 0 {
		return n, err
	}
	groups, err := ui.GroupsOf(ctx, h.Groups, p, authz.ReadAuditLog, textOf(entries[i], "groupId"))
	for _, g := range groups {
		n["group"][g.ID] = g.Name
	}
	return n, err
}

func textOf(e audit.Entry, name string) string {
	text, _ := e.Details[name].(string)
	return text
}

func (n names) view(e audit.Entry) entryView {
	kind, _ := audit.DisplayOf(e.Action)
	view := entryView{Entry: e, Label: kind.Label, Values: n.values(e)}
	for _, name := range kind.Row {
		for _, v := range view.Values {
			if v.Name == name {
				v.Text = truncate(cmp.Or(v.Text, v.Code), maxInRow)
				view.Row = append(view.Row, v)
			}
		}
	}
	return view
}

// values returns the values of the event, then the values of its HTTP request. Empty ones are left
// out.
func (n names) values(e audit.Entry) (all []value) {
	add := func(name, term, text, code string) {
		if text != "" || code != "" {
			all = append(all, value{Name: name, Term: term, Text: text, Code: code})
		}
	}
	add("reason", "Reason", words(string(e.Reason)), "")
	actor := e.Actor.ID
	if e.Actor.Kind == audit.Key {
		actor = apikeys.TokenPrefix + actor + "_…"
	}
	add("actor", term(string(e.Actor.Kind)), e.Actor.Name, actor)
	if t := e.Target; t.Kind != "organisation" && t.ID != e.Actor.ID {
		add("target", term(strings.TrimPrefix(t.Kind, "api_")),
			cmp.Or(textOf(e, "newName"), textOf(e, "name"), n[t.Kind][t.ID]), t.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		if name != "name" && name != "newName" { // shown as the target's name
			all = append(all, n.detail(name, e.Details[name]))
		}
	}
	add("path", "Request", "", strings.TrimSpace(e.Request.Method+" "+e.Request.Path))
	add("address", "Address", "", e.Request.Address)
	add("userAgent", "User agent", "", e.Request.UserAgent)
	add("requestId", "Request id", "", e.Request.ID)
	return all
}

// detail returns a detail as a value. A string may be an instant, a day, a group's id or a code:
// JSON does not tell them apart, so the form of the text and the name decide.
func (n names) detail(name string, of any) value {
	v := value{Name: name, Term: term(name)}
	switch of := of.(type) {
	case float64:
		v.Text = ui.Count(int64(of))
	case string:
		v.Text = of
		if at, err := time.Parse(time.RFC3339, of); err == nil {
			v.At = &at
		} else if day, ok := input.ParseDay(of); ok {
			v.Text = ui.Day(day)
		} else if name == "groupId" {
			v = value{Name: name, Term: "Group", Text: n["group"][of], Code: of}
		} else if slices.Contains(codes, name) {
			v.Text = words(of)
		}
	default:
		v.Text = fmt.Sprint(of)
	}
	return v
}

// codes are the names of the details whose values are codes, which the page shows as words.
var codes = []string{"outcome", "reportingMode", "plan", "from", "to"}

var capital = regexp.MustCompile(`[A-Z]`)

// words returns a name in camel case or a code in snake case as words: "stopsAt" as "stops at".
func words(code string) string {
	return strings.ToLower(strings.ReplaceAll(capital.ReplaceAllString(code, " $0"), "_", " "))
}

// term returns the words of a name with a capital: "stopsAt" as "Stops at".
func term(code string) string {
	text := words(code)
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
