package apikeys

import (
	"slices"
	"time"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/input"
)

// Scope is a kind of data that a key may read.
type Scope string

// A key has at least one of these scopes.
const (
	ForksRead   Scope = "forks:read"
	ReportsRead Scope = "reports:read"
)

// Key is a row of api_keys without the hash of the secret.
type Key struct {
	ID             string
	OrganisationID string `gorm:"column:org_id"` // of either case: compare by strings.EqualFold
	Name           string
	Description    string // may be empty
	Scopes         Scopes
	CreatedAt      time.Time
	CreatedBy      Person     `gorm:"embedded"`
	ExpiresAt      *time.Time // nil if it never expires
	RevokedAt      *time.Time // nil if not revoked; in the future during a replaced key's overlap
	LastUsedAt     *time.Time // nil if never used; stored at most once a minute
	Replaces       string     `gorm:"default:null"` // id of the key that this one replaced, or empty
}

// TableName implements gorm's Tabler.
func (Key) TableName() string { return "api_keys" }

// Person is the creator of a key or the actor of a change, with the name at that time.
type Person struct {
	ID   string `gorm:"column:created_by"`
	Name string `gorm:"column:creator_name"`
}

// State is StateUsable, or the reason why a key does not work.
type State string

// Authenticate rejects a key in any state but StateUsable.
const (
	StateUsable  State = "usable"
	StateRevoked State = "revoked"
	StateExpired State = "expired"
	StatePaused  State = "paused" // the organisation is below the Pro plan
)

// State returns the key's state at now under the organisation's plan. The order of precedence is
// that of authenticate.sql: revoked, expired, paused.
func (k Key) State(now time.Time, plan org.Plan) State {
	switch {
	case k.Revoked(now):
		return StateRevoked
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return StateExpired
	case !plan.IncludesAPI():
		return StatePaused
	}
	return StateUsable
}

// clockTolerance is how far the database clock, which stamps revocations, may be ahead. Without it
// the UI could show a revoked key as usable.
const clockTolerance = 5 * time.Second

// Revoked reports whether the key is revoked at now, or within clockTolerance after now.
func (k Key) Revoked(now time.Time) bool {
	return k.RevokedAt != nil && !k.RevokedAt.After(now.Add(clockTolerance))
}

// noticePeriod is how long before a key's end the UI and the API may announce it.
const noticePeriod = 30 * 24 * time.Hour

// ExpiresSoon reports whether to announce the expiry at now: within noticePeriod before it, and in
// the last quarter of the key's life. After the expiry it is false.
func (k Key) ExpiresSoon(now time.Time) bool {
	if k.ExpiresAt == nil || !k.ExpiresAt.After(now) {
		return false
	}
	return k.ExpiresAt.Sub(now) <= min(noticePeriod, k.ExpiresAt.Sub(k.CreatedAt)/4)
}

// NewKey is the input of Create: the label, scopes and expiry of the key, and the key to replace.
type NewKey struct {
	ID          string        `json:"id"` // the form's id: sent twice, it creates one key; Create replaces a malformed id
	Name        string        `json:"name" validate:"required,max=200,text,printable,keyless"`
	Description string        `json:"description" validate:"omitempty,max=200,text,printable,keyless"` // may be empty
	Scopes      []Scope       `json:"scopes" validate:"min=1,unique,dive,oneof=forks:read reports:read"`
	ExpiresAt   *time.Time    `json:"expiresAt"` // in the future, or nil if the key never expires
	Replaces    string        `json:"replaces"`  // id of the key to replace, or empty
	Overlap     time.Duration `json:"overlap" validate:"overlap"`
}

// Label has the fields of a key that Rename changes.
type Label struct {
	Name        string `json:"name" validate:"required,max=200,text,printable,keyless"`
	Description string `json:"description" validate:"omitempty,max=200,text,printable,keyless"` // may be empty
}

// Overlap is a choice of how long a replaced key still works while tools switch to the new one.
type Overlap struct {
	Value, Text string // the form's value and its text on the screen
	Duration    time.Duration
}

// Overlaps are all choices, the shortest first.
var Overlaps = []Overlap{
	{"now", "Now", 0},
	{"hour", "In an hour", time.Hour},
	{"day", "In a day", 24 * time.Hour},
	{"week", "In a week", 7 * 24 * time.Hour},
}

var keyChecks = input.New(map[string]string{
	"name required": "Enter a name.",
	"max":           "The {field} is too long. Use 200 characters or fewer.",
	"text":          "The {field} contains invalid characters, such as a line break. Type it again.",
	"printable":     "The {field} contains characters that cannot be seen. Type it again.",
	"keyless":       "The {field} seems to contain an API key. Leave it out.",
	"scopes min":    "Choose at least one scope.",
	"scopes oneof":  "Choose at least one scope.",
	"overlap":       "Choose when the old key stops.",
}, map[string]func(input.Field) bool{
	"keyless": input.StringRule(func(text string) bool { return Redact(text) == text }),
	"overlap": func(f input.Field) bool {
		return slices.ContainsFunc(Overlaps, func(o Overlap) bool { return int64(o.Duration) == f.Field().Int() })
	},
})

// Violations returns the rules that the fields break, except that ExpiresAt is in the future.
func (newKey NewKey) Violations() []input.Violation { return keyChecks.Violations(newKey) }

// Violations returns the rules that the fields break.
func (l Label) Violations() []input.Violation { return keyChecks.Violations(l) }

func (newKey NewKey) key(now time.Time) (Key, error) {
	if err := keyChecks.Check(newKey); err != nil {
		return Key{}, err
	}
	key := Key{
		Name:        newKey.Name,
		Description: newKey.Description,
		Scopes:      newKey.Scopes,
		CreatedAt:   now.Truncate(time.Millisecond),
		Replaces:    newKey.Replaces,
	}
	if newKey.ExpiresAt == nil {
		return key, nil
	}
	expiry := newKey.ExpiresAt.UTC().Truncate(time.Millisecond)
	if !expiry.After(now) {
		return Key{}, apperr.NewField("expiresAt",
			"The expiry %s has passed. Choose a later one, or none.", formatMinute(expiry))
	}
	key.ExpiresAt = &expiry
	return key, nil
}
