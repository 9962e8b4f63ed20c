package apikeys

import (
	"time"

	"dg/modules/org"
)

// Scope is what a key may read (specification, section 5, rule 4).
type Scope string

// The scopes.
const (
	ForksRead   Scope = "forks:read"
	ReportsRead Scope = "reports:read"
)

// Key is an organisation's key as its settings show it: without its secret, of which only a hash is kept.
type Key struct {
	ID, OrganisationID, Name string
	Scopes                   []Scope
	CreatedAt                time.Time
	CreatedBy                Person
	ExpiresAt                *time.Time // nil: never
	RevokedAt                *time.Time // nil: not revoked
	LastUsedAt               *time.Time // nil: never used; moves at most once in a minute of the clock
}

// Person is who did something: the id and the name of then.
type Person struct{ ID, Name string }

// State is what a key can do now (specification, section 3.2).
type State string

// The states.
const (
	Usable       State = "usable"
	RevokedKey   State = "revoked"
	ExpiredKey   State = "expired"
	PausedByPlan State = "paused" // the organisation is below the Pro plan
)

// State returns what the key can do at now under the organisation's plan. Revoked beats expired beats paused: the order
// in which Authenticate refuses.
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

// noticePeriod is how long before its expiry a key is announced at most.
const noticePeriod = 30 * 24 * time.Hour

// ExpiresSoon reports whether the key's owners should be told at now that it expires: in its last 30 days, but not before
// the last quarter of its life. Who has just made a key for 30 days knows when it ends.
func (k Key) ExpiresSoon(now time.Time) bool {
	if k.ExpiresAt == nil || !k.ExpiresAt.After(now) {
		return false
	}
	return k.ExpiresAt.Sub(now) <= min(noticePeriod, k.ExpiresAt.Sub(k.CreatedAt)/4)
}
