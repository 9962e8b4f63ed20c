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
	Label   string
	Summary []entryValue // the values that audit.ActionDisplay.Summary selects
	Values  []entryValue

	NewDay            bool   // whether the entry is the first of its UTC day on the page
	ByActor, ByAction string // paths of the log filtered by actor and by action, or ""
}

// entryValue is a named value of an entry. If At is set, it is shown instead of Text. Code is an id
// or other technical text.
type entryValue struct {
	Name, Term, Text, Code string
	At                     *time.Time
}

// maxSummaryCharacters bounds a value in a summary. The unfolded entry shows whole values.
const maxSummaryCharacters = 60

type targetNames map[string]map[string]string // names of targets, by kind and id

// namesIn returns the names of keys and forks, and of groups if an entry has a groupId. Above
// org.MaxGroups groups, names of groups may be missing.
func (h *Handler) namesIn(
	ctx context.Context, p *ui.Principal, entries []audit.Entry, keys []apikeys.Key,
) (targetNames, error) {
	names := targetNames{"api_key": {}, "fork": {}, "group": {}}
	for _, k := range keys {
		names["api_key"][k.ID] = k.Name
	}
	forks, err := h.ForksOf(ctx, p)
	for _, f := range forks {
		names["fork"][f.ID] = f.Title
	}
	i := slices.IndexFunc(entries, func(e audit.Entry) bool { return detailText(e, "groupId") != "" })
	if err != nil || i < 0 {
		return names, err
	}
	groups, err := h.GroupsOf(ctx, p, audit.ReadAuditLog, detailText(entries[i], "groupId"))
	for _, g := range groups {
		names["group"][g.ID] = g.Name
	}
	return names, err
}

func detailText(e audit.Entry, name string) string {
	text, _ := e.Details[name].(string)
	return text
}

func (n targetNames) newEntryView(e audit.Entry) entryView {
	display, _ := audit.DisplayOf(e.Action)
	view := entryView{Entry: e, Label: display.Label, Values: n.values(e)}
	for _, name := range display.Summary {
		for _, v := range view.Values {
			if v.Name == name {
				v.Text = truncate(cmp.Or(v.Text, v.Code), maxSummaryCharacters)
				view.Summary = append(view.Summary, v)
			}
		}
	}
	return view
}

func (n targetNames) values(e audit.Entry) (values []entryValue) {
	add := func(name, term, text, code string) {
		if text != "" || code != "" {
			values = append(values, entryValue{Name: name, Term: term, Text: text, Code: code})
		}
	}
	add("reason", "Reason", e.Reason.Words(), "")
	actorID := e.Actor.ID
	if e.Actor.Kind == audit.Key {
		actorID = apikeys.Mask(actorID)
	}
	add("actor", term(string(e.Actor.Kind)), e.Actor.Name, actorID)
	if t := e.Target; t.Kind != "organisation" && t.ID != e.Actor.ID {
		add("target", term(strings.TrimPrefix(t.Kind, "api_")),
			cmp.Or(detailText(e, "newName"), detailText(e, "name"), n[t.Kind][t.ID]), t.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		if name != "name" && name != "newName" { // the target shows the name
			values = append(values, n.detail(name, e.Details[name]))
		}
	}
	add("path", "Request", "", strings.TrimSpace(e.Request.Method+" "+e.Request.Path))
	add("address", "IP address", "", e.Request.Address)
	add("userAgent", "User agent", "", e.Request.UserAgent)
	add("requestId", "Request id", "", e.Request.ID)
	return values
}

// detail recognises instants, days and codes by the detail's name. JSON has them as strings, and a
// key's name may look like a day.
func (n targetNames) detail(name string, value any) entryValue {
	v := entryValue{Name: name, Term: term(name)}
	switch value := value.(type) {
	case float64:
		v.Text = ui.Count(int64(value))
	case string:
		v.Text = value
		at, err := time.Parse(time.RFC3339, value)
		day, isDay := input.ParseDay(value)
		switch {
		case err == nil && slices.Contains(instantDetails, name):
			v.At = &at
		case isDay && slices.Contains(dayDetails, name):
			v.Text = ui.Day(day)
		case name == "groupId":
			v = entryValue{Name: name, Term: "Group", Text: n["group"][value], Code: value}
		case slices.Contains(codeDetails, name):
			v.Text = codeWords(value)
		}
	default:
		v.Text = fmt.Sprint(value)
	}
	return v
}

// These details are shown as words, days or instants. from and to are words unless they are days.
var (
	codeDetails    = []string{"outcome", "reportingMode", "plan", "from", "to"}
	dayDetails     = []string{"from", "to", "before"}
	instantDetails = []string{"expiresAt", "stopsAt", "until"}
)

var capitalPattern = regexp.MustCompile(`[A-Z]`)

// codeWords splits camel case and snake case: "stopsAt" becomes "stops at".
func codeWords(code string) string {
	return strings.ToLower(strings.ReplaceAll(capitalPattern.ReplaceAllString(code, " $0"), "_", " "))
}

func term(code string) string { return ui.Capitalise(codeWords(code)) }
