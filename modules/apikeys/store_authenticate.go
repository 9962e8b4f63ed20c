package apikeys

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// authenticateSQL bypasses gorm to save its overhead, because it runs with each request.
//
//go:embed authenticate.sql
var authenticateSQL string

func withPosition(db *postgres.DB) string {
	return strings.Replace(authenticateSQL, "null as position", db.PositionSQL()+" as position", 1)
}

// Authenticate finds the key of the token and counts the request in the key's rate window. It
// records the rejection of a known key before it returns the error. Above the limit of rejected
// requests it only counts the rejection. Errors: apperr.AuthRequired (unknown, wrong secret,
// revoked, expired, plan), apperr.RateLimited with RetryAfter (a valid key's Caller is returned
// too), and apperr.Unavailable when the request cannot be counted or a rejection cannot be stored.
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
	case result.limited:
		return s.rateLimited(result)
	}
	result.countedOn = s.UsageCounter.count(result.Caller, counts{accepted: 1})
	if result.firstInMinute {
		if err := s.touch(ctx, result.Caller); err != nil {
			return Caller{}, err
		}
	}
	return result.Caller, nil
}

// errNotCounted says that no attempt could count the request, for example under contention.
var errNotCounted = apperr.New(apperr.Unavailable,
	"The request could not be counted. Retry in a few seconds.")

// authenticate retries if a full window has room by now, or a missing or wrong one was repaired. If
// outside is true, it rejects the key in any state.
func (s *Service) authenticate(
	ctx context.Context, id string, hash []byte, outside bool,
) (authResult, error) {
	for range 3 {
		r, err := s.lookup(ctx, id, hash, outside)
		if err != nil || !r.limited {
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
	return authResult{}, errNotCounted
}

func (s *Service) lookup(
	ctx context.Context, id string, hash []byte, outside bool,
) (r authResult, err error) {
	var remaining *int
	var reset *float64
	var position *string // null without replicas
	err = s.db.Pool.QueryRow(ctx, s.statement, id, hash, outside).
		Scan(&r.Actor.ID, &r.OrganisationID, &r.Actor.Name, &r.Grants,
			&r.reason, &r.revokedAt, &r.expiresAt, &remaining, &reset,
			&r.firstInMinute, &position)
	if errors.Is(err, pgx.ErrNoRows) {
		return authResult{}, nil
	}
	if err != nil {
		return authResult{}, fmt.Errorf("apikeys: authenticate: %w", err)
	}
	if position != nil {
		if err := r.Position.Scan(*position); err != nil {
			return authResult{}, err
		}
	}
	r.Actor.Kind = audit.Key
	r.Kind = authz.Key
	r.limited = remaining == nil || reset == nil
	if !r.limited {
		r.RateLimit = RateLimit{Remaining: *remaining, Reset: wholeSeconds(*reset)}
	}
	r.ExpiryNotice = expiryNotice(s.now(), r.expiresAt, r.revokedAt)
	return r, nil
}

// wholeSeconds rounds up to at least 1, so that a retry after that time is not too early.
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

// touch stores the last use. Its commit is asynchronous: a crash of PostgreSQL may lose it.
func (s *Service) touch(ctx context.Context, c Caller) error {
	err := selectKeys(s.db.Gorm.WithContext(ctx), "apikeys.touch", c.OrganisationID).
		Where("id = ?", c.Actor.ID).Where(isUnrevoked).
		Where("last_used_at is null or last_used_at < date_trunc('minute', clock_timestamp())").
		// the setting lasts for this transaction only
		Where("set_config('synchronous_commit', 'off', true) is not null").
		Update("last_used_at", databaseMillisecond).Error
	return apperr.Annotate(err, "apikeys: last used")
}

var errKeyStopped = apperr.New(apperr.AuthRequired, "This API key can no longer be used.")

// StillUsable returns nil while the key is usable, by the database clock. A call does not count
// towards the rate limit. Errors: apperr.AuthRequired for a key that is revoked, expired, paused or
// unknown. Any other error says nothing about the key.
func (s *Service) StillUsable(ctx context.Context, organisationID, id string) error {
	var found int64
	db := s.RecheckDB.Gorm.WithContext(ctx)
	paying := db.Table("organisations").Scopes(tenant.Scope(organisationID)).Select("id").
		Where("plan in ('pro', 'enterprise')")
	err := selectKeys(db, "apikeys.usable", organisationID).
		Where("id = ? and exists (?)", id, paying).Where(isUsable).Count(&found).Error
	if err != nil {
		return fmt.Errorf("apikeys: usable: %w", err)
	}
	if found == 0 {
		return errKeyStopped
	}
	return nil
}
