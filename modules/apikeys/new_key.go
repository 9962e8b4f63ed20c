package apikeys

import (
	"slices"
	"time"

	"dg/platform/apperr"
	"dg/platform/input"
)

// NewKey is the input of Create: the label, scopes and expiry of the key, and the key to replace.
type NewKey struct {
	ID          string        `json:"id"` // of a form, which makes one key; unless IsID: a random one
	Name        string        `json:"name" validate:"required,max=200,text,printable"`
	Description string        `json:"description" validate:"omitempty,max=200,text,printable"` // "": none
	Scopes      []Scope       `json:"scopes" validate:"min=1,unique,dive,oneof=forks:read reports:read"`
	ExpiresAt   *time.Time    `json:"expiresAt"` // nil: never; else in the future
	Replaces    string        `json:"replaces"`  // id of the key to replace; "": none
	Overlap     time.Duration `json:"overlap" validate:"overlap"`
}

// Label is the part of a key that Rename can change.
type Label struct {
	Name        string `json:"name" validate:"required,max=200,text,printable"`
	Description string `json:"description" validate:"omitempty,max=200,text,printable"` // "": none
}

// Overlap is a choice for how long a replaced key still works, so that tools can switch.
type Overlap struct {
	Value, Text string // as a form sends and shows it
	Duration    time.Duration
}

// Overlaps are all choices, the shortest first.
var Overlaps = []Overlap{
	{"now", "Now", 0},
	{"hour", "In an hour", time.Hour},
	{"day", "In a day", 24 * time.Hour},
	{"week", "In a week", 7 * 24 * time.Hour},
}

var checks = input.New(map[string]string{
	"name required":         "Enter a name.",
	"name max":              "The name is too long. Use 200 characters or fewer.",
	"name text":             "The name contains invalid characters, such as a line break. Type it again.",
	"name printable":        "The name contains characters that cannot be seen. Type it again.",
	"description max":       "The description is too long. Use 200 characters or fewer.",
	"description text":      "The description contains invalid characters, such as a line break. Type it again.",
	"description printable": "The description contains characters that cannot be seen. Type it again.",
	"scopes min":            "Choose at least one scope.",
	"scopes oneof":          "Choose at least one scope.",
	"overlap":               "Choose when the old key stops.",
}, map[string]func(input.Field) bool{
	"overlap": func(f input.Field) bool {
		return slices.ContainsFunc(Overlaps, func(o Overlap) bool { return int64(o.Duration) == f.Field().Int() })
	},
})

// Violations returns what is wrong with the fields, but for ExpiresAt, whose instant Create checks.
func (in NewKey) Violations() []input.Violation { return checks.Violations(in) }

// Violations returns what is wrong with the fields.
func (l Label) Violations() []input.Violation { return checks.Violations(l) }

func (in NewKey) key(now time.Time) (Key, error) {
	if err := checks.Check(in); err != nil {
		return Key{}, err
	}
	key := Key{
		Name:        in.Name,
		Description: in.Description,
		Scopes:      in.Scopes,
		CreatedAt:   now.Truncate(time.Millisecond),
		Replaces:    in.Replaces,
	}
	if in.ExpiresAt == nil {
		return key, nil
	}
	at := in.ExpiresAt.UTC().Truncate(time.Millisecond)
	if !at.After(now) {
		return Key{}, apperr.NewField("expiresAt",
			"The expiry %s has passed. Choose a later one, or none.", formatInstant(at))
	}
	key.ExpiresAt = &at
	return key, nil
}
