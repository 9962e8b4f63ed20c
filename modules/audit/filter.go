package audit

import (
	"slices"
	"time"
)

// Filter selects the entries of a log that have everything that is set.
type Filter struct {
	Kind     ActorKind // of the actor
	PersonID string    // of the actor
	Action   Action
	KeyID    string // of the key that acted, was changed, or replaced another
	ForkID   string // of the fork that was exported
	Reason   Reason
	From, To time.Time // To is excluded
}

// Page selects a part of a log: the newest entries, or those before or after the entry with an id.
// The order is by instant, with the id as tie-break.
type Page struct {
	Filter Filter
	Before int64 // entries older than this one
	After  int64 // the entries directly newer than this one
	From   int64 // this entry and older ones
	Limit  int
}

// selective reports whether the filter has more than a time.
func (f Filter) selective() bool {
	f.From = time.Time{}
	f.To = time.Time{}
	return f != Filter{}
}

// kinds returns the kinds of actor that the filter admits.
func (f Filter) kinds() []ActorKind {
	switch {
	case f.PersonID != "" && f.Kind != "" && f.Kind != Person:
		return []ActorKind{}
	case f.PersonID != "":
		return []ActorKind{Person}
	case f.Kind != "":
		return []ActorKind{f.Kind}
	}
	return []ActorKind{Person, Key, Operator}
}

// actionsAndReasons returns the pairs of action and reason that entries can have and the filter
// admits, as two columns.
func (f Filter) actionsAndReasons() (actions []Action, reasons []Reason) {
	for _, a := range Actions {
		for _, r := range slices.Concat(a.reasons(), []Reason{""}) {
			if (f.Action == "" || f.Action == a) && (f.Reason == "" || f.Reason == r) {
				actions = append(actions, a)
				reasons = append(reasons, r)
			}
		}
	}
	return actions, reasons
}
