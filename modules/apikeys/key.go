package apikeys

import (
	"time"

	"dg/modules/org"
)

// Scope is what a key may read.
type Scope string

// The scopes.
const (
	ForksRead   Scope = "forks:read"
	ReportsRead Scope = "reports:read"
)

// Key is a row of api_keys without the hash of the secret.
type Key struct {
	ID             string
	OrganisationID string `gorm:"column:org_id"`
	Name           string
	Description    string // "": none
	Scopes         Scopes
	CreatedAt      time.Time
	CreatedBy      Person     `gorm:"embedded"`
	ExpiresAt      *time.Time // nil: never
	RevokedAt      *time.Time // nil: not revoked; in the future during an overlap
	LastUsedAt     *time.Time // nil: never used; written once a minute at most
	Replaces       string     `gorm:"default:null"` // id of the key that this one replaced; "": none
}

// TableName implements gorm's Tabler.
func (Key) TableName() string { return "api_keys" }

// Person is the creator of a key or the actor of a change, with the name at that time.
type Person struct {
	ID   string `gorm:"column:created_by"`
	Name string `gorm:"column:creator_name"`
}

// State says whether a key works and, if not, why.
type State string

// The states.
const (
	StateUsable  State = "usable"
	StateRevoked State = "revoked"
	StateExpired State = "expired"
	StatePaused  State = "paused" // the organisation is below the Pro plan
)

// State returns the key's state at now under the organisation's plan. Revoked wins over expired,
// expired over paused, as in Authenticate.
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

// clockTolerance keeps the UI from showing a revoked key as working: the database clock, which
// stamps revocations, may be ahead.
const clockTolerance = 5 * time.Second

// Revoked reports whether the key is revoked at now, or within clockTolerance after it.
func (k Key) Revoked(now time.Time) bool {
	return k.RevokedAt != nil && !k.RevokedAt.After(now.Add(clockTolerance))
}

// Stopping reports whether the key was replaced and its overlap has not ended.
func (k Key) Stopping(now time.Time) bool { return k.RevokedAt != nil && !k.Revoked(now) }

// noticePeriod bounds how early the UI and the API announce the end of a key.
const noticePeriod = 30 * 24 * time.Hour

// ExpiresSoon reports whether to announce the expiry at now: within noticePeriod before it, and in
// the last quarter of the key's life. After the expiry it is false.
func (k Key) ExpiresSoon(now time.Time) bool {
	if k.ExpiresAt == nil || !k.ExpiresAt.After(now) {
		return false
	}
	return k.ExpiresAt.Sub(now) <= min(noticePeriod, k.ExpiresAt.Sub(k.CreatedAt)/4)
}
