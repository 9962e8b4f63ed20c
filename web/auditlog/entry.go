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
	"dg/platform/input"
	"dg/web/ui"
)

type entryView struct {
	audit.Entry
	Label  string
	Row    []value // the values that audit.ActionDisplay.Row selects
	Values []value

	NewDay            bool   // whether it begins a UTC day in the list
	Refused           bool   // whether it records a refused request with a key
	ByActor, ByAction string // path of the log filtered by this value; "": there is no such filter
}

// value is a row of an entry. At, if set, replaces Text. Code is an id or other technical text.
type value struct {
	Name, Term, Text, Code string
	At                     *time.Time
}

// maxRowCharacters bounds the characters of a value in a row. The unfolded entry shows whole values.
const maxRowCharacters = 60

type names map[string]map[string]string // names of targets, by kind and id

// namesIn reads groups only if an entry has a groupId. With more than org.MaxGroups groups, names
// may be missing.
func (h *Handler) namesIn(
	ctx context.Context, p *ui.Principal, entries []audit.Entry, keys []apikeys.Key,
) (names, error) {
	n := names{"api_key": {}, "fork": {}, "group": {}}
	for _, k := range keys {
		n["api_key"][k.ID] = k.Name
	}
	forks, err := h.ForksOf(ctx, p)
	for _, f := range forks {
		n["fork"][f.ID] = f.Title
	}
	i := slices.IndexFunc(entries, func(e audit.Entry) bool { return detailText(e, "groupId") != "" })
	if err != nil || i < 0 {
		return n, err
	}
	groups, err := h.GroupsOf(ctx, p, audit.ReadAuditLog, detailText(entries[i], "groupId"))
	for _, g := range groups {
		n["group"][g.ID] = g.Name
	}
	return n, err
}

func detailText(e audit.Entry, name string) string {
	text, _ := e.Details[name].(string)
	return text
}

func (n names) view(e audit.Entry) entryView {
	kind, _ := audit.DisplayOf(e.Action)
	view := entryView{Entry: e, Label: kind.Label, Values: n.values(e)}
	for _, name := range kind.Row {
		for _, v := range view.Values {
			if v.Name == name {
				v.Text = truncate(cmp.Or(v.Text, v.Code), maxRowCharacters)
				view.Row = append(view.Row, v)
			}
		}
	}
	return view
}

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
			cmp.Or(detailText(e, "newName"), detailText(e, "name"), n[t.Kind][t.ID]), t.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		if name != "name" && name != "newName" { // the row shows it as the target's name
			all = append(all, n.detail(name, e.Details[name]))
		}
	}
	add("path", "Request", "", strings.TrimSpace(e.Request.Method+" "+e.Request.Path))
	add("address", "IP address", "", e.Request.Address)
	add("userAgent", "User agent", "", e.Request.UserAgent)
	add("requestId", "Request id", "", e.Request.ID)
	return all
}

// detail recognises instants, days and codes by the detail's name. JSON has them as strings, and a
// key's name may look like a day.
func (n names) detail(name string, of any) value {
	v := value{Name: name, Term: term(name)}
	switch of := of.(type) {
	case float64:
		v.Text = ui.Count(int64(of))
	case string:
		v.Text = of
		at, err := time.Parse(time.RFC3339, of)
		day, isDay := input.ParseDay(of)
		switch {
		case err == nil && slices.Contains(instants, name):
			v.At = &at
		case isDay && slices.Contains(days, name):
			v.Text = ui.Day(day)
		case name == "groupId":
			v = value{Name: name, Term: "Group", Text: n["group"][of], Code: of}
		case slices.Contains(codes, name):
			v.Text = words(of)
		}
	default:
		v.Text = fmt.Sprint(of)
	}
	return v
}

// codes are the details whose values the page shows as words. Days are excluded.
var (
	codes    = []string{"outcome", "reportingMode", "plan", "from", "to"}
	days     = []string{"from", "to", "before"}
	instants = []string{"expiresAt", "stopsAt", "until"}
)

var capital = regexp.MustCompile(`[A-Z]`)

// words splits camel case and snake case: "stopsAt" becomes "stops at".
func words(code string) string {
	return strings.ToLower(strings.ReplaceAll(capital.ReplaceAllString(code, " $0"), "_", " "))
}

func term(code string) string {
	text := words(code)
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
