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
	RevokedAt                *time.Time // nil: not revoked; ahead, of a key that was replaced: it works until then
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
	case k.Revoked(now):
		return RevokedKey
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return ExpiredKey
	case !plan.IncludesAPI():
		return PausedByPlan
	}
	return Usable
}

// clockTolerance is by how much the database's clock, which stamps revocations, may be ahead of an instance's: what was just
// revoked is never shown as still working. Keys that were replaced stop after an hour at the earliest.
const clockTolerance = 5 * time.Second

// Revoked reports whether the key is revoked at now.
func (k Key) Revoked(now time.Time) bool {
	return k.RevokedAt != nil && !k.RevokedAt.After(now.Add(clockTolerance))
}

// Stopping reports whether the key was replaced, and works until its revocation.
func (k Key) Stopping(now time.Time) bool { return k.RevokedAt != nil && !k.Revoked(now) }

// noticePeriod is how long before its end a key is announced at the earliest.
const noticePeriod = 30 * 24 * time.Hour

// ExpiresSoon reports whether to announce at now that the key expires: in its last 30 days, and not before the last quarter
// of its life. Somebody who has just created a key for 30 days knows when it ends.
func (k Key) ExpiresSoon(now time.Time) bool {
	if k.ExpiresAt == nil || !k.ExpiresAt.After(now) {
		return false
	}
	return k.ExpiresAt.Sub(now) <= min(noticePeriod, k.ExpiresAt.Sub(k.CreatedAt)/4)
}
