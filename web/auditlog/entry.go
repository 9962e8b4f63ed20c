package auditlog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/org"
	"dg/platform/input"
	"dg/web/ui"
)

// entryView is an entry as the log shows it.
type entryView struct {
	At           time.Time
	ByKey        bool
	Actor        string
	Action       string
	Target       string
	TargetIsPath bool
	Outcome      string
	Until        *time.Time // the instant that completes Outcome; nil: none
	Group, Names string     // of an export
	Details      []detail
}

// detail is a line of an open entry: in words, in code, or both.
type detail struct {
	Term, Text, Code string
	At               *time.Time // an instant instead
}

// nameIndex has the names of what entries mention, by id.
type nameIndex struct {
	keys   map[string]apikeys.Key
	forks  map[string]games.Fork
	groups map[string]string
}

// How many characters of a name or a path a row shows. An open entry shows all of them.
const (
	maxNameInRow = 48
	maxPathInRow = 60
)

func (n nameIndex) view(e audit.Entry) entryView {
	text := func(name string) string { return textOf(e.Details[name]) }
	v := entryView{
		At:      e.At,
		ByKey:   e.Actor.Kind == audit.Key,
		Actor:   truncate(e.Actor.Name, maxNameInRow),
		Action:  actionLabels[e.Action],
		Details: n.details(e),
	}
	switch e.Action {
	case audit.KeyCreated, audit.KeyReplaced, audit.KeyRenamed, audit.KeyRevoked:
		v.Target = truncate(cmp.Or(n.keyName(e), e.Target.ID), maxNameInRow)
		v.Outcome, v.Until = keyOutcome(e)
	case audit.ExportStarted, audit.ExportFinished:
		v.Target = truncate(cmp.Or(n.forks[e.Target.ID].Title, e.Target.ID), maxNameInRow)
		group := text("groupId")
		v.Group = truncate(cmp.Or(n.groups[group], group), maxNameInRow)
		v.Names = namesLabels[text("reportingMode")].short
		v.Outcome = exportOutcome(e.Details)
	case audit.ReportingModeChanged:
		v.Target = ui.ModeLabels[org.ReportingMode(text("to"))]
		if from := ui.ModeLabels[org.ReportingMode(text("from"))]; from != "" {
			v.Outcome = fmt.Sprintf("From %s", strings.ToLower(from))
		}
	case audit.PlanChanged:
		v.Target = ui.PlanLabels[org.Plan(text("to"))]
		v.Outcome = fmt.Sprintf("From %s", text("from"))
	case audit.RoleChanged:
		v.Target = truncate(text("name"), maxNameInRow)
		v.Outcome = fmt.Sprintf("From %s to %s", text("from"), text("to"))
	case audit.LogPruned:
		v.Target = fmt.Sprintf("Before %s", text("before"))
		v.Outcome = fmt.Sprintf("%s entries", text("entries"))
	case audit.PlayerErased:
		v.Target = e.Target.ID
	case audit.ResetCreated:
		v.Target = truncate(text("name"), maxNameInRow)
		v.Outcome = "Until"
		v.Until = instantIn(e, "until")
	case audit.KeyRefused:
		v.Target = truncate(e.Request.Path, maxPathInRow)
		v.TargetIsPath = true
		if counted := countedLabel(e); counted != "" {
			v.Target = counted
			v.TargetIsPath = false
		}
		v.Outcome = reasonLabels[e.Reason].short
	}
	return v
}

// keyName returns the name of a changed key after the change. Entries of older releases have none, and
// get the current name.
func (n nameIndex) keyName(e audit.Entry) string {
	return cmp.Or(textOf(e.Details["newName"]), textOf(e.Details["name"]),
		n.keys[e.Target.ID].Name)
}

// instantIn is an instant among the entry's details, or nil.
func instantIn(e audit.Entry, name string) *time.Time {
	text, _ := e.Details[name].(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return &at
}

// keyOutcome returns the old name of a renamed key, or when a replaced key stops if not at once.
func keyOutcome(e audit.Entry) (string, *time.Time) {
	if old := textOf(e.Details["oldName"]); old != "" {
		return fmt.Sprintf("Was %s", truncate(old, maxNameInRow)), nil
	}
	if stops := instantIn(e, "stopsAt"); stops != nil && stops.Sub(e.At) > time.Minute {
		return "Old key stops", stops
	}
	return "", nil
}

// details returns the lines of an open entry: the event, then the request.
func (n nameIndex) details(e audit.Entry) []detail {
	var all []detail
	add := func(term, text, code string) {
		if text != "" || code != "" {
			all = append(all, detail{Term: term, Text: text, Code: code})
		}
	}
	keyID := ""
	keyName := e.Actor.Name
	switch {
	case e.Actor.Kind == audit.Key:
		keyID = e.Actor.ID
	case e.Target.Kind == "api_key":
		keyID = e.Target.ID
		keyName = n.keyName(e)
	}
	if e.Reason != "" {
		add("Reason", n.reason(e.Reason, keyID), string(e.Reason))
	}
	add("Request", "", strings.TrimSpace(e.Request.Method+" "+e.Request.Path))
	if e.Action == audit.KeyRefused {
		add("Response", "", responseTo(e))
	}
	if keyID != "" {
		add("Key", keyName, apikeys.TokenPrefix+keyID+"_…")
	}
	if e.Actor.Kind == audit.Person {
		add("Person", e.Actor.Name, e.Actor.ID)
	}
	if e.Target.Kind == "fork" && e.Action != audit.KeyRefused {
		add("Fork", n.forks[e.Target.ID].Title, e.Target.ID)
	} else if e.Target.Kind == "player" {
		add("Player", "", e.Target.ID)
	} else if namesPerson(e) {
		add("Person", textOf(e.Details["name"]), e.Target.ID)
	} else if label := foreignTargetLabels[e.Target.Kind]; label != "" {
		add(label, "", e.Target.ID)
	}
	all = append(all, n.exportDetails(e)...)
	all = append(all, moreDetails(e)...)
	add("Address", "", e.Request.Address)
	add("User agent", "", e.Request.UserAgent)
	add("Request id", "", e.Request.ID)
	return all
}

// namesPerson reports whether the entry's target is a person, whose name is stored in
// the entry's details.
func namesPerson(e audit.Entry) bool {
	return e.Action == audit.ResetCreated || e.Action == audit.RoleChanged
}

// exportDetails are the group of an export, and whether its rows had names.
func (n nameIndex) exportDetails(e audit.Entry) []detail {
	if !isExport(e) {
		return nil
	}
	mode := textOf(e.Details["reportingMode"])
	names := detail{Term: "Names", Text: namesLabels[mode].long}
	group := textOf(e.Details["groupId"])
	if group == "" {
		return []detail{{Term: "Group", Text: "None: all players"}, names}
	}
	return []detail{{Term: "Group", Text: n.groups[group], Code: group}, names}
}

// reason says why a request was refused. A key that lacks a scope has the other one.
func (n nameIndex) reason(r audit.Reason, keyID string) string {
	if scopes := n.keys[keyID].Scopes; r == audit.InsufficientScope && len(scopes) == 1 {
		required := apikeys.ForksRead
		if scopes[0] == required {
			required = apikeys.ReportsRead
		}
		return fmt.Sprintf("The key has the scope %s. The endpoint requires %s.", scopes[0], required)
	}
	return reasonLabels[r].long
}

// responseTo returns the answer to a refused request. A group of another organisation got the answer
// of an unknown one.
func responseTo(e audit.Entry) string {
	if e.Reason == audit.OtherOrganisation && e.Target.Kind == "group" {
		return "404 ERR_NOT_FOUND"
	}
	if countedLabel(e) != "" {
		return "429 ERR_RATE_LIMITED"
	}
	return reasonLabels[e.Reason].answer
}

// moreDetails returns an entry's period and each detail that has no other line.
func moreDetails(e audit.Entry) []detail {
	var all []detail
	rest := maps.Clone(e.Details)
	if isExport(e) {
		delete(rest, "groupId")
		delete(rest, "reportingMode")
	}
	delete(rest, "name")
	from, fromIsDay := input.ParseDay(textOf(rest["from"]))
	to, toIsDay := input.ParseDay(textOf(rest["to"]))
	if fromIsDay && toIsDay {
		period := fmt.Sprintf("%s to %s", ui.Day(from), ui.Day(to))
		all = append(all, detail{Term: "Period", Text: period})
		delete(rest, "from")
		delete(rest, "to")
	}
	if counted := countedLabel(e); counted != "" {
		all = append(all, detail{Term: "Counted", Text: counted})
		delete(rest, audit.NotRecorded)
		delete(rest, audit.CountLost)
	}
	for _, known := range []struct {
		name, term string
		labels     map[string]string
	}{{"oldName", "Old name", nil}, {"newName", "New name", nil},
		{"description", "Description", nil},
		{"replacement", "New key", nil}, {"stopsAt", "Old key stops", nil},
		{"rows", "Rows", nil}, {"until", "Until", nil}, {"before", "Before", nil},
		{"entries", "Entries", nil},
		{"outcome", "Outcome", outcomeLabels}, {"from", "From", nil}, {"to", "To", nil},
		{audit.ExportID, "Export id", nil}} {
		if value, ok := rest[known.name]; ok {
			d := detail{Term: known.term, At: instantIn(e, known.name)}
			if d.Text = known.labels[textOf(value)]; d.Text == "" {
				d.Code = textOf(value)
			}
			all = append(all, d)
			delete(rest, known.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		all = append(all, detail{Term: name, Code: textOf(rest[name])})
	}
	return all
}

// textOf is a value of the details as text. Numbers are whole.
func textOf(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case float64:
		return ui.Count(int64(x))
	}
	return fmt.Sprint(value)
}
