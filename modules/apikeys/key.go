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

// Key is an organisation's key as its settings show it, without the secret.
type Key struct {
	ID, OrganisationID, Name string
	Description              string // "": none
	Scopes                   []Scope
	CreatedAt                time.Time
	CreatedBy                Person
	ExpiresAt                *time.Time // nil: never
	// nil: not revoked; in the future for a replaced key, which works until then
	RevokedAt  *time.Time
	LastUsedAt *time.Time // nil: never used; to the minute
	Replaces   string     // the id of the key that it replaced, or ""
}

// Person is who created a key, under the name of that moment.
type Person struct{ ID, Name string }

// State is whether a key works.
type State string

// The states.
const (
	Usable       State = "usable"
	RevokedKey   State = "revoked"
	ExpiredKey   State = "expired"
	PausedByPlan State = "paused" // the organisation is below the Pro plan
)

// State returns the key's state at now under the organisation's plan. Revoked wins over expired,
// expired over paused, as in Authenticate.
func (k Key) State(now time.Time, plan org.Plan) State {
	switch {
	case k.Revoked(now):
		return RevokedKey
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return ExpiredKey
	case !plan.IncludesAPI():
		return PausedByPlan
	}
	return Usable
}

// clockTolerance is the tolerated lead of the database clock, which stamps revocations, over the
// local clock, so that a key that was just revoked is never shown as working. Overlaps of replaced
// keys are an hour or more.
const clockTolerance = 5 * time.Second

// Revoked reports whether the key is revoked at now.
func (k Key) Revoked(now time.Time) bool {
	return k.RevokedAt != nil && !k.RevokedAt.After(now.Add(clockTolerance))
}

// Stopping reports whether the key was replaced, and works until its revocation.
func (k Key) Stopping(now time.Time) bool { return k.RevokedAt != nil && !k.Revoked(now) }

// noticePeriod is the longest notice of a key's end.
const noticePeriod = 30 * 24 * time.Hour

// ExpiresSoon reports whether to announce the expiry at now: in the last 30 days and the last
// quarter of the key's life. A new key for 30 days needs no notice.
func (k Key) ExpiresSoon(now time.Time) bool {
	if k.ExpiresAt == nil || !k.ExpiresAt.After(now) {
		return false
	}
	return k.ExpiresAt.Sub(now) <= min(noticePeriod, k.ExpiresAt.Sub(k.CreatedAt)/4)
}
