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
	Scopes                   []Scope
	CreatedAt                time.Time
	CreatedBy                Person
	ExpiresAt                *time.Time // nil: never
	RevokedAt                *time.Time // nil: not revoked
	LastUsedAt               *time.Time // nil: never used; to the minute
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

// State returns the key's state at now under the organisation's plan. Revoked wins over expired, expired over paused, as in
// Authenticate.
func (k Key) State(now time.Time, plan org.Plan) State {
	switch {
	case k.RevokedAt != nil:
		return RevokedKey
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return ExpiredKey
	case !plan.IncludesAPI():
		return PausedByPlan
	}
	return Usable
}

// noticePeriod is how long before its expiry a key is announced at the earliest.
const noticePeriod = 30 * 24 * time.Hour

// ExpiresSoon reports whether to announce at now that the key expires: in its last 30 days, and not before the last quarter
// of its life. Somebody who has just created a key for 30 days knows when it ends.
func (k Key) ExpiresSoon(now time.Time) bool {
	if k.ExpiresAt == nil || !k.ExpiresAt.After(now) {
		return false
	}
	return k.ExpiresAt.Sub(now) <= min(noticePeriod, k.ExpiresAt.Sub(k.CreatedAt)/4)
}
