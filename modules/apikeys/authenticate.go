package apikeys

import (
	"context"
	"fmt"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// The rate limit is a sliding window: at most MaxRequests accepted requests of a key in any
// RateWindow seconds. authenticate.sql and the table's default repeat the numbers.
const (
	MaxRequests = 120
	RateWindow  = 60
)

// Caller is an authenticated key.
type Caller struct {
	KeyID, KeyName, OrganisationID string
	Scopes                         []Scope
	OrganisationVersion            int64 // random, new with every change of the organisation or its forks
	RateLimit                      RateLimit
	// the primary's LSN after the request began: replicas behind it are not read
	Position     postgres.Position
	ExpiryNotice *time.Time // the key's end, if it is within 30 days

	countedOn int // the UTC day whose usage includes the request
}

// RateLimit is a key's quota: Remaining requests now, and one more in Reset seconds (at least 1).
type RateLimit struct{ Remaining, Reset int }

// Subject is the caller as the authorisation policy sees it.
func (c Caller) Subject() authz.Subject {
	grants := make([]string, len(c.Scopes))
	for i, s := range c.Scopes {
		grants[i] = string(s)
	}
	return authz.Subject{Kind: authz.Key, OrganisationID: c.OrganisationID, Grants: grants}
}

// Actor is the caller as the audit log names it.
func (c Caller) Actor() audit.Actor {
	return audit.Actor{Kind: audit.Key, ID: c.KeyID, Name: c.KeyName}
}

// authResult is the row of the authentication statement.
type authResult struct {
	Caller
	known                bool         // whether there is such a key
	reason               audit.Reason // why the key is rejected; "": it is accepted
	revokedAt, expiresAt *time.Time
	limited              bool // over the limit of requests or, when rejected, of refused requests
	retryAfter           int  // when limited: seconds until the window has room
	firstInMinute        bool // whether last_used_at has to move
}

// Authenticate finds the key of the token and counts the request in its rate window. A rejection is
// recorded, with the request, before it is answered.
//
// Errors: apperr.AuthRequired (unknown, wrong secret, revoked, expired, plan), apperr.RateLimited
// with RetryAfter (with the caller, when the secret was right) and apperr.Unavailable when a
// rejection cannot be recorded.
func (s *Service) Authenticate(
	ctx context.Context, token Token, request func() audit.Request,
) (Caller, error) {
	result, err := s.authenticate(ctx, token.ID, token.hash(), false)
	switch {
	case err != nil:
		return Caller{}, err
	case !result.known:
		s.onRefusal(UnknownKey)
		return Caller{}, errInvalidKey
	case result.reason != "":
		return Caller{}, s.reject(ctx, result, request(), result.rejection())
	case result.limited:
		return s.rateLimited(result)
	}
	result.countedOn = s.count(result.Caller, counts{accepted: 1})
	if result.firstInMinute {
		if err := s.touch(ctx, result.Caller); err != nil {
			return Caller{}, err
		}
	}
	return result.Caller, nil
}

var errKeyStopped = apperr.New(apperr.AuthRequired,
	"This API key was revoked, has expired, or needs the Pro plan.")

// StillUsable returns nil while the key is usable, by the database's clock. Running exports call it.
// It does not count towards the rate limit.
//
// Errors: apperr.AuthRequired once the key is revoked, expired or paused; any other says nothing
// about the key.
func (s *Service) StillUsable(ctx context.Context, organisationID, id string) error {
	var usable int64
	db := s.db.Gorm.WithContext(ctx)
	paying := db.Table("organisations").Scopes(tenant.Scope(organisationID)).Select("id").
		Where("plan in ('pro', 'enterprise')")
	err := keys(db, "apikeys.usable", organisationID).
		Where("id = ? and exists (?)", id, paying).Where(usableAt, databaseNow).Count(&usable).Error
	if err != nil {
		return fmt.Errorf("apikeys: usable: %w", err)
	}
	if usable == 0 {
		return errKeyStopped
	}
	return nil
}

// expiryNotice returns the earlier of a key's expiry and revocation, if it is within noticePeriod.
func (s *Service) expiryNotice(expiresAt, revokedAt *time.Time) *time.Time {
	end := expiresAt
	if end == nil || revokedAt != nil && revokedAt.Before(*end) {
		end = revokedAt
	}
	if end == nil || end.Sub(s.now()) > noticePeriod {
		return nil
	}
	return end
}

func (s *Service) rateLimited(r authResult) (Caller, error) {
	s.count(r.Caller, counts{limited: 1})
	r.RateLimit.Reset = r.retryAfter
	return r.Caller, newRateLimitError(r.retryAfter,
		"Rate limit exceeded: %d requests in %d seconds. Retry in %d seconds.", MaxRequests,
		RateWindow, r.retryAfter)
}
