package apikeys

import (
	"time"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// The rate limit is a sliding window: at most MaxRequests accepted requests of a key in any
// RateWindow seconds. authenticate.sql repeats both numbers, retryAfterSQL the second, the table's
// default the first.
const (
	MaxRequests = 120
	RateWindow  = 60
)

// Caller is an authenticated key, as the audit log and the authorisation policy see it.
type Caller struct {
	authz.Subject

	Actor     audit.Actor
	RateLimit RateLimit
	// an LSN of the primary, read during the request: replicas that have replayed it may be read;
	// zero: only the primary is read
	Position     postgres.Position
	ExpiryNotice *time.Time // the earlier of expiry and revocation; nil: not within noticePeriod

	countedOn int // usageKey.day of the usage that includes the request
}

// RateLimit is a key's quota: Remaining requests now, and one more in Reset seconds (at least 1).
type RateLimit struct{ Remaining, Reset int }

// authResult is the outcome of authenticate. It is zero for an unknown key.
type authResult struct {
	Caller
	reason               audit.Reason // why the key is rejected; "": it is accepted
	revokedAt, expiresAt *time.Time
	limited              bool // the window of accepted or, with a reason, rejected requests is full
	retryAfter           int  // if limited: seconds until the window has room
	firstInMinute        bool // last_used_at must be updated
}
