package web

import (
	"cmp"
	"context"
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
)

// actionLabels are the actions of the log in words.
var actionLabels = map[audit.Action]string{
	audit.KeyCreated:           "Key created",
	audit.KeyRevoked:           "Key revoked",
	audit.KeyRefused:           "Request refused",
	audit.ExportStarted:        "Export started",
	audit.ExportFinished:       "Plays exported",
	audit.ReportingModeChanged: "Reporting mode changed",

	audit.LogExported:           "Audit log exported",
	audit.SignedIn:              "Signed in",
	audit.SignInFailed:          "Sign-in failed",
	audit.SignInLocked:          "Sign-in locked",
	audit.TwoStepTurnedOn:       "Two-step turned on",
	audit.TwoStepTurnedOff:      "Two-step turned off",
	audit.RecoveryCodeUsed:      "Recovery code used",
	audit.RecoveryCodesReplaced: "Recovery codes replaced",
	audit.PasswordChanged:       "Password changed",
	audit.PasswordReset:         "Password reset",
	audit.SessionsEnded:         "Session ended",
}

// reasonLabels are the reasons of a refusal: in the list, in a sentence, and how the request was answered.
var reasonLabels = map[audit.Reason]struct{ short, long, status, code string }{
	audit.WrongSecret:       {"Wrong secret", "The id is that of the key, the secret is not.", "401", "ERR_AUTH_REQUIRED"},
	audit.Revoked:           {"Revoked key", "The key had been revoked.", "401", "ERR_AUTH_REQUIRED"},
	audit.Expired:           {"Expired key", "The key had expired.", "401", "ERR_AUTH_REQUIRED"},
	audit.BelowPlan:         {"Plan", "The organisation's plan did not include the API, so its keys were paused.", "401", "ERR_AUTH_REQUIRED"},
	audit.InsufficientScope: {"Scope missing", "The key may not read this.", "403", "ERR_ACCESS_DENIED"},
	audit.OtherOrganisation: {"Other organisation", "What was params for belongs to another organisation.", "403", "ERR_ACCESS_DENIED"},
	audit.OutsideAPI:        {"Outside the API", "A key works only under /api/v1/.", "403", "ERR_ACCESS_DENIED"},
	audit.WrongPassword:     {short: "Wrong password", long: "The password was wrong."},
	audit.WrongCode:         {short: "Wrong code", long: "The password was right, the two-step code was wrong."},
	audit.SignedOut:         {short: "Signed out", long: "The person signed out."},
	audit.Locked:            {short: "Locked", long: "There had been too many wrong tries, so nothing was compared."},
}

// outcomeLabels are the ends of an export.
var outcomeLabels = map[string]string{
	"completed":      "Complete",
	"key_unusable":   "Broken off, the key stopped working",
	"access_ended":   "Broken off, the person's access ended",
	"time_limit":     "Broken off after 30 minutes",
	"client_gone":    "Broken off by the reader",
	"server_stopped": "Broken off, the server stopped",
	"failed":         "Broken off by a failure",

	"database_unavailable": "Broken off, the database did not answer",
}

var modeLabels = map[org.ReportingMode]string{org.Pseudonymous: "Pseudonymous", org.Nominative: "Nominative"}

// entryView is an entry as the log shows it.
type entryView struct {
	At           time.Time
	ByKey        bool
	Who, What    string
	Target       string
	TargetIsPath bool
	Outcome      string
	Details      []detail
}

// detail is a line of an entry that is opened: in words, in code, or both.
type detail struct{ Term, Text, Code string }

// nameIndex are what the things in entries are called.
type nameIndex struct {
	keys  map[string]apikeys.Key
	forks map[string]games.Fork
}

// forksOf reads the organisation's forks when an entry names one.
func (h *Handler) forksOf(ctx context.Context, p *principal, entries []audit.Entry) (map[string]games.Fork, error) {
	if !slices.ContainsFunc(entries, func(e audit.Entry) bool { return e.Target.Kind == "fork" && e.Action != audit.KeyRefused }) {
		return nil, nil
	}
	all, err := h.Games.Forks(ctx, p.Organisation.ID)
	forks := map[string]games.Fork{}
	for _, f := range all {
		forks[f.ID] = f
	}
	return forks, err
}

// How much of a name or a path the list shows, so that a row stays a row; an opened entry shows all of it.
const (
	maxNameInRow = 48
	maxPathInRow = 60
)

// words says an entry in words.
func (n nameIndex) words(e audit.Entry) entryView {
	w := entryView{At: e.At, ByKey: e.Actor.Kind == audit.Key, Who: shortened(e.Actor.Name, maxNameInRow), What: actionLabels[e.Action]}
	switch e.Action {
	case audit.KeyCreated, audit.KeyRevoked:
		w.Target = shortened(cmp.Or(n.keys[e.Target.ID].Name, e.Target.ID), maxNameInRow)
	case audit.ExportStarted, audit.ExportFinished:
		w.Target = shortened(cmp.Or(n.forks[e.Target.ID].Slug, e.Target.ID), maxNameInRow)
		w.Outcome = exportOutcome(e.Details)
	case audit.ReportingModeChanged:
		w.Target = modeLabels[org.ReportingMode(textOf(e.Details["to"]))]
		if from := modeLabels[org.ReportingMode(textOf(e.Details["from"]))]; from != "" {
			w.Outcome = "From " + strings.ToLower(from)
		}
	case audit.KeyRefused:
		w.Target, w.TargetIsPath = shortened(e.Request.Path, maxPathInRow), true
		if counted := countedLabel(e.Details); counted != "" {
			w.Target, w.TargetIsPath = counted, false
		}
		w.Outcome = reasonLabels[e.Reason].short
	case audit.SignInFailed:
		w.Target, w.Outcome = countedLabel(e.Details), reasonLabels[e.Reason].short
	case audit.SignInLocked:
		if until, err := time.Parse(time.RFC3339, textOf(e.Details["until"])); err == nil {
			w.Outcome = "Until " + until.UTC().Format("15:04:05 UTC")
		}
	}
	w.Details = n.details(e)
	return w
}

// details are the lines of an entry that is opened: what happened first, then the request.
func (n nameIndex) details(e audit.Entry) []detail {
	var d []detail
	add := func(term, text, code string) {
		if text != "" || code != "" {
			d = append(d, detail{term, text, code})
		}
	}
	keyID := ""
	switch {
	case e.Actor.Kind == audit.Key:
		keyID = e.Actor.ID
	case e.Target.Kind == "api_key":
		keyID = e.Target.ID
	}
	if e.Reason != "" {
		add("Reason", n.reason(e.Reason, keyID), string(e.Reason))
	}
	add("Request", "", strings.TrimSpace(e.Request.Method+" "+e.Request.Path))
	if e.Action == audit.KeyRefused {
		add("Answer", "", answerTo(e))
	}
	switch {
	case e.Actor.Kind == audit.Key:
		add("Key", e.Actor.Name, apikeys.TokenPrefix+keyID+"_…")
	case keyID != "":
		add("Key", n.keys[keyID].Name, apikeys.TokenPrefix+keyID+"_…")
	}
	if e.Actor.Kind == audit.Person {
		add("Person", e.Actor.Name, e.Actor.ID)
	}
	switch {
	case e.Target.Kind == "fork" && e.Action != audit.KeyRefused:
		add("Fork", n.forks[e.Target.ID].Slug, e.Target.ID)
	case e.Target.Kind == "fork", e.Target.Kind == "group":
		add(targetLabels[e.Target.Kind], "", e.Target.ID)
	}
	d = append(d, moreDetails(e)...)
	add("Address", "", e.Request.Address)
	add("User agent", "", e.Request.UserAgent)
	add("Request id", "", e.Request.ID)
	return d
}

// targetLabels are the things of another organisation that were params for.
var targetLabels = map[string]string{"fork": "Its fork", "group": "Its group"}

// reason says why a request was refused. A key that lacks a scope has the other one.
func (n nameIndex) reason(r audit.Reason, keyID string) string {
	if has := n.keys[keyID].Scopes; r == audit.InsufficientScope && len(has) == 1 {
		wants := apikeys.ForksRead
		if has[0] == wants {
			wants = apikeys.ReportsRead
		}
		return fmt.Sprintf("The key may not read this: it has %s, the endpoint wants %s.", has[0], wants)
	}
	return reasonLabels[r].long
}

// answerTo is what the sender of a refused request got. Another organisation's group is answered as one that is not there.
func answerTo(e audit.Entry) string {
	if e.Reason == audit.OtherOrganisation && e.Target.Kind == "group" {
		return "404 ERR_NOT_FOUND"
	}
	if countedLabel(e.Details) != "" {
		return "429 ERR_RATE_LIMITED"
	}
	w := reasonLabels[e.Reason]
	return w.status + " " + w.code
}

// moreDetails are an export's period, group, rows and end, and whatever else an entry holds.
func moreDetails(e audit.Entry) []detail {
	var d []detail
	rest := maps.Clone(e.Details)
	from, fromIsDay := input.Day(textOf(rest["from"]))
	to, toIsDay := input.Day(textOf(rest["to"]))
	if fromIsDay && toIsDay {
		d = append(d, detail{Term: "Period", Text: from.Format(shortDay) + " to " + to.Format(shortDay)})
		delete(rest, "from")
		delete(rest, "to")
	}
	if counted := countedLabel(rest); counted != "" {
		d = append(d, detail{Term: "Not recorded one by one", Text: counted})
		delete(rest, audit.NotRecorded)
		delete(rest, audit.CountLost)
	}
	for _, known := range []struct {
		name, term string
		words      map[string]string
	}{{"groupId", "Group", nil}, {"rows", "Rows", nil}, {"until", "Until", nil}, {"outcome", "Outcome", outcomeLabels}, {"from", "From", nil}, {"to", "To", nil}} {
		if value, ok := rest[known.name]; ok {
			d = append(d, detail{known.term, known.words[textOf(value)], textOf(value)})
			delete(rest, known.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		d = append(d, detail{name, "", textOf(rest[name])})
	}
	return d
}

// countedLabel say how many requests an entry stands for that were counted instead of recorded one by one, or "".
func countedLabel(details map[string]any) string {
	words := ""
	if n, ok := details[audit.NotRecorded].(float64); ok {
		words = count(int64(n)) + " requests"
		if n == 1 {
			words = "1 request"
		}
	}
	switch {
	case details[audit.CountLost] != true:
		return words
	case words == "":
		return "Count lost in a database crash"
	}
	return words + ", others lost in a database crash"
}

// exportOutcome is the end of an export and its rows, or "" before it.
func exportOutcome(details map[string]any) string {
	words := outcomeLabels[textOf(details["outcome"])]
	if rows, ok := details["rows"].(float64); ok && words != "" {
		words += ", " + count(int64(rows)) + " rows"
		if rows == 1 {
			words = strings.TrimSuffix(words, "s")
		}
	}
	return words
}

// textOf is a value of the details as text. Numbers are whole.
func textOf(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case float64:
		return count(int64(x))
	}
	return fmt.Sprint(value)
}
