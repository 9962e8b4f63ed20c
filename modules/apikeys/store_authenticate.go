package apikeys

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// The rate limit is a sliding window: at most MaxRequests accepted requests of a key in any
// RateWindow seconds. authenticate.sql repeats both numbers, retryAfterSQL repeats RateWindow, and
// a column default of the table repeats MaxRequests.
const (
	MaxRequests = 120
	RateWindow  = 60
)

// Caller is an authenticated key, as the audit log and the authorisation policy see it.
type Caller struct {
	authz.Subject

	Actor        audit.Actor
	RateLimit    RateLimit
	Position     postgres.Position // LSN that a replica must have replayed; if zero, none may be read
	ExpiryNotice *time.Time        // the earlier of expiry and revocation; nil unless within noticePeriod

	countedOn int // usageKey.day of the count that includes the request
}

// RateLimit is a key's quota: Remaining requests now, and one more in Reset seconds (1 or more).
type RateLimit struct{ Remaining, Reset int }

// authResult is the outcome of authenticate. It is zero for an unknown key.
type authResult struct {
	Caller
	reason               audit.Reason // why the key is rejected; empty if it is accepted
	revokedAt, expiresAt *time.Time
	rateLimited          bool // the window that would count the request is full
	retryAfter           int  // if rateLimited: seconds until the window has room
	firstInMinute        bool // whether to store the last use
}

// authenticateSQL bypasses gorm to save its overhead, because it runs with each request.
//
//go:embed authenticate.sql
var authenticateSQL string

// Authenticate finds the key of the token and counts the request in the key's rate window. It
// records the rejection of a known key before it returns the error. Above the limit of rejected
// requests it only counts the rejection. Errors: apperr.AuthRequired (unknown, wrong secret,
// revoked, expired, plan), apperr.RateLimited with RetryAfter (a valid key's Caller is returned
// too), apperr.Unavailable if the rejection cannot be recorded, context.DeadlineExceeded if the
// request cannot be counted.
func (s *Service) Authenticate(
	ctx context.Context, token Token, request func() audit.Request,
) (Caller, error) {
	result, err := s.authenticate(ctx, token.ID, token.hash(), false)
	switch {
	case err != nil:
		return Caller{}, err
	case result.Actor.ID == "":
		s.OnRefusal(UnknownKey)
		return Caller{}, errInvalidKey
	case result.reason != "":
		return Caller{}, s.reject(ctx, result, request(), result.rejection())
	case result.rateLimited:
		s.UsageCounter.addToday(result.Caller, counts{limited: 1})
		result.RateLimit.Reset = result.retryAfter
		return result.Caller, newRateLimitError(result.retryAfter,
			"Rate limit exceeded: %d requests in %d seconds. Retry in %d seconds.", MaxRequests,
			RateWindow, result.retryAfter)
	}
	result.countedOn = s.UsageCounter.addToday(result.Caller, counts{accepted: 1})
	if result.firstInMinute {
		_, err := s.db.Pool.Exec(ctx, touchSQL, result.OrganisationID, result.Actor.ID)
		if err != nil {
			return Caller{}, fmt.Errorf("apikeys: last used: %w", err)
		}
	}
	return result.Caller, nil
}

// authenticate finds the key and counts the request, in at most three attempts. It retries if the
// window has room again, or if retryAfter has created or repaired the window. If outsideAPI is
// true, it rejects even a usable key.
func (s *Service) authenticate(
	ctx context.Context, id string, hash []byte, outsideAPI bool,
) (authResult, error) {
	for range 3 {
		r, err := s.authenticateOnce(ctx, id, hash, outsideAPI)
		if err != nil || !r.rateLimited {
			return r, err
		}
		r.retryAfter, err = s.retryAfter(ctx, id, r.reason != "")
		if err != nil {
			return authResult{}, err
		}
		if r.retryAfter > 0 {
			return r, nil
		}
	}
	return authResult{}, fmt.Errorf("apikeys: not counted in three attempts: %w", context.DeadlineExceeded)
}

func (s *Service) authenticateOnce(
	ctx context.Context, id string, hash []byte, outsideAPI bool,
) (r authResult, err error) {
	var remaining *int
	var reset *float64
	err = s.db.Pool.QueryRow(ctx, authenticateSQL, id, hash, outsideAPI, s.db.HasReplicas()).
		Scan(&r.Actor.ID, &r.OrganisationID, &r.Actor.Name, &r.Grants,
			&r.reason, &r.revokedAt, &r.expiresAt, &remaining, &reset,
			&r.firstInMinute, &r.Position)
	if errors.Is(err, pgx.ErrNoRows) {
		return authResult{}, nil
	}
	if err != nil {
		return authResult{}, fmt.Errorf("apikeys: authenticate: %w", err)
	}
	r.Actor.Kind = audit.Key
	r.Kind = authz.Key
	r.rateLimited = remaining == nil || reset == nil
	if !r.rateLimited {
		r.RateLimit = RateLimit{Remaining: *remaining, Reset: wholeSeconds(*reset)}
	}
	r.ExpiryNotice = expiryNotice(s.now(), r.expiresAt, r.revokedAt)
	return r, nil
}

// wholeSeconds rounds up to at least 1, so that a retry is not too early.
func wholeSeconds(s float64) int { return max(1, int(math.Ceil(s))) }

func expiryNotice(now time.Time, expiresAt, revokedAt *time.Time) *time.Time {
	end := expiresAt
	if end == nil || revokedAt != nil && revokedAt.Before(*end) {
		end = revokedAt
	}
	if end == nil || end.Sub(now) > noticePeriod {
		return nil
	}
	return end
}

// touchSQL commits asynchronously: a crash of PostgreSQL may lose the last use. It skips a locked
// key, because the transaction that holds the lock may take long.
const touchSQL = `/* apikeys.touch */
update api_keys set last_used_at = date_trunc('milliseconds', clock_timestamp())
 where org_id = $1 and id = (select id from api_keys where org_id = $1 and id = $2 and ` + unrevokedCondition + `
   and (last_used_at is null or last_used_at < date_trunc('minute', clock_timestamp()))
   and set_config('synchronous_commit', 'off', true) is not null for no key update skip locked)`

const usableSQL = `/* apikeys.usable */
select exists (select from api_keys k join organisations o on o.id = k.org_id
 where k.org_id = $1 and k.id = $2 and o.plan in ('pro', 'enterprise') and ` + usableCondition + `)`

// CheckUsable returns nil while the key is usable, by the database clock. A call does not count
// towards the rate limit. Errors: apperr.AuthRequired for a key that is revoked, expired, paused or
// unknown. Any other error says nothing about the key.
func CheckUsable(ctx context.Context, db *postgres.DB, organisationID, id string) error {
	var usable bool
	err := db.Pool.QueryRow(ctx, usableSQL, organisationID, id).Scan(&usable)
	if err != nil {
		return fmt.Errorf("apikeys: usable: %w", err)
	}
	if !usable {
		return apperr.New(apperr.AuthRequired, "This API key can no longer be used.")
	}
	return nil
}

// The statements on windows are raw SQL, because gorm's builder has no array functions.
const (
	// repairWindowsSQL moves timestamps in the future to now. After the clock was set back, they
	// would otherwise stay in the window for longer than 60 seconds.
	repairWindowsSQL = `/* apikeys.repairWindows */
update api_key_windows set head = 1, instants = (
    select array_agg(m.at order by m.at) from (select least(i, clock_timestamp()) as at from unnest(instants) i) m)
 where key_id = $1 and clock_timestamp() < any (instants)`

	// retryAfterSQL returns no row if the window is missing or has timestamps in the future.
	retryAfterSQL = `/* apikeys.retryAfter */
select extract(epoch from greatest(instants[head], 'epoch') + interval '60 s' - clock_timestamp())::float8
  from api_key_windows where key_id = $1 and refused = $2 and not clock_timestamp() < any (instants)`
)

// retryAfter returns the seconds until the window has room, or 0 if it has room now. If the window
// is missing or has timestamps in the future, retryAfter repairs the key's windows and returns 0.
func (s *Service) retryAfter(ctx context.Context, id string, refused bool) (int, error) {
	var wait float64
	err := s.db.Pool.QueryRow(ctx, retryAfterSQL, id, refused).Scan(&wait)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, s.repairWindows(ctx, id)
	}
	if err != nil {
		return 0, fmt.Errorf("apikeys: retry after: %w", err)
	}
	if wait <= 0 {
		return 0, nil
	}
	return wholeSeconds(wait), nil
}

func (s *Service) repairWindows(ctx context.Context, id string) error {
	if err := createWindows(s.db.Gorm.WithContext(ctx), id); err != nil {
		return err
	}
	_, err := s.db.Pool.Exec(ctx, repairWindowsSQL, id)
	return apperr.Annotate(err, "apikeys: repair windows")
}

func createWindows(db *gorm.DB, keyID string) error {
	err := db.Scopes(tenant.Across("windows have no organisation")).Exec(`/* apikeys.newWindows */
		insert into api_key_windows (key_id, refused) select ?, unnest(array[false, true])
		on conflict do nothing`, keyID).Error
	return apperr.Annotate(err, "apikeys: new windows")
}
