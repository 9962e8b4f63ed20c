package apikeys

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// The rate: never more than RateLimit requests of a key accepted in any RateWindow seconds (specification, section 8).
// authenticate.sql and the table's default hold the same two numbers.
const (
	RateLimit  = 120
	RateWindow = 60
)

// Caller is a key that was authenticated.
type Caller struct {
	KeyID, KeyName, OrganisationID string
	Scopes                         []Scope
	OrganisationVersion            int64 // rises with every change to the organisation or its forks
	Budget                         Budget
}

// Budget is what a key has left: Left requests now, and one more in NextIn seconds (at least 1).
type Budget struct{ Left, NextIn int }

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

// The answers to refused uses. What is wrong with a key is for its organisation's audit log: a caller who holds a stolen
// or guessed key learns nothing from the message.
var (
	errUnusable = apperr.New(apperr.AuthRequired, "This API key cannot be used. Check that it was copied whole; the organisation's audit log says why it was refused.")
	errOutside  = apperr.New(apperr.AccessDenied, "An API key works only under /api/v1/. Remove the Authorization header, or call /api/v1/forks.")
)

const notRecorded = "The use of this key could not be recorded, so it was not answered. Try again in a moment."

// Authenticate finds the key of the token and takes one of its places in the last minute. A refused use is recorded
// before it is answered.
//
// Errors: ErrAuthRequired (unknown, wrong secret, revoked, expired, plan), ErrRateLimited with RetryAfter — then, when
// the key itself was good, the caller is returned too, with the empty budget — and ErrUnavailable where a refusal cannot
// be recorded.
func (s *Service) Authenticate(ctx context.Context, token Token, request audit.Request) (Caller, error) {
	v, err := s.judge(ctx, token.ID, token.hash(), false)
	if err != nil {
		return Caller{}, err
	}
	if !v.known {
		s.unknown()
		return Caller{}, errUnusable
	}
	if v.reason != "" {
		return Caller{}, s.refuse(ctx, v, request, errUnusable)
	}
	if v.limited {
		wait, err := s.retryAfter(ctx, v.KeyID, false)
		v.Budget.NextIn = wait
		return v.Caller, limited(wait, err)
	}
	if v.unused {
		if _, err := s.db.Pool.Exec(ctx, usedSQL, v.KeyID, v.OrganisationID); err != nil {
			return Caller{}, fmt.Errorf("apikeys: last used: %w", err)
		}
	}
	return v.Caller, nil
}

// RefuseOutside answers a key that was used outside /api/v1/, whatever its state, and records it where the id is known; ""
// is an id that could not be made out.
// It always returns an error: ErrAccessDenied, ErrRateLimited beyond 120 refused uses in a minute, or ErrUnavailable.
func (s *Service) RefuseOutside(ctx context.Context, id string, request audit.Request) error {
	if id == "" {
		s.unknown()
		return errOutside
	}
	v, err := s.judge(ctx, id, nil, true)
	if err != nil {
		return err
	}
	if !v.known {
		s.unknown()
		return errOutside
	}
	return s.refuse(ctx, v, request, errOutside)
}

// Refuse records a use that the caller's key did not allow and returns the answer to it, or ErrUnavailable when it could
// not be recorded. It is the one place that records a refusal.
func (s *Service) Refuse(ctx context.Context, c Caller, reason audit.Reason, target audit.Target, request audit.Request, answer error) error {
	err := s.log.Append(ctx, audit.Entry{
		OrganisationID: c.OrganisationID, Actor: c.Actor(), Action: audit.KeyRefused, Target: target, Reason: reason, Request: request,
	})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	return answer
}

// verdict is what the statement says of a key.
type verdict struct {
	Caller
	known   bool
	reason  audit.Reason // "": not refused
	limited bool         // there was no place left, for a request or for recording a refusal
	unused  bool         // whether it has no use in this minute yet
}

func (s *Service) refuse(ctx context.Context, v verdict, request audit.Request, answer error) error {
	if v.limited {
		return limited(s.retryAfter(ctx, v.KeyID, true))
	}
	return s.Refuse(ctx, v.Caller, v.reason, audit.Target{Kind: "api_key", ID: v.KeyID}, request, answer)
}

// limited is the answer to a use beyond the rate; err is a failure to say for how long.
func limited(wait int, err error) error {
	if err != nil {
		return err
	}
	e := apperr.New(apperr.RateLimited, "This key has been used %d times in the last %d seconds. Wait %d seconds, then go on.", RateLimit, RateWindow, wait)
	e.RetryAfter = wait
	return e
}

// usedSQL keeps the use of a key, to the minute. A revoked key stays as it was.
const usedSQL = `/* apikeys.used */
update api_keys set last_used_at = date_trunc('milliseconds', clock_timestamp())
 where id = $1 and org_id = $2 and revoked_at is null
   and (last_used_at is null or last_used_at < date_trunc('minute', clock_timestamp()))`

//go:embed authenticate.sql
var authenticateSQL string

// judge runs the statement; a key whose window is not there (new, or lost in a crash of PostgreSQL) gets one, and is
// asked again.
func (s *Service) judge(ctx context.Context, id string, hash []byte, outside bool) (verdict, error) {
	for range 2 {
		v, hasWindow, err := s.ask(ctx, id, hash, outside)
		if err != nil || !v.known || hasWindow {
			return v, err
		}
		if _, err := s.db.Pool.Exec(ctx, newWindowsSQL, id); err != nil {
			return verdict{}, fmt.Errorf("apikeys: new windows: %w", err)
		}
	}
	return verdict{}, errors.New("apikeys: a key's windows vanished while it was authenticated")
}

const newWindowsSQL = `/* apikeys.newWindows */
insert into api_key_windows (key_id, refused) values ($1, false), ($1, true) on conflict do nothing`

func (s *Service) ask(ctx context.Context, id string, hash []byte, outside bool) (v verdict, hasWindow bool, err error) {
	var budget []float64
	err = s.db.Pool.QueryRow(ctx, authenticateSQL, id, hash, outside).
		Scan(&v.KeyID, &v.OrganisationID, &v.KeyName, &v.Scopes, &v.OrganisationVersion, &v.reason, &budget, &hasWindow, &v.unused)
	if errors.Is(err, pgx.ErrNoRows) {
		return verdict{}, false, nil
	}
	if err != nil {
		return verdict{}, false, fmt.Errorf("apikeys: authenticate: %w", err)
	}
	v.known, v.limited = true, budget == nil
	if budget != nil {
		v.Budget = Budget{Left: int(budget[0]), NextIn: wholeSeconds(budget[1])}
	}
	return v, hasWindow, nil
}

// retryAfter says in how many seconds the key has a place again. It is a statement of its own: the snapshot of the one
// that lost the race is older than the place that was just taken.
func (s *Service) retryAfter(ctx context.Context, id string, refused bool) (int, error) {
	var seconds float64
	err := s.db.Pool.QueryRow(ctx, `/* apikeys.retryAfter */
select extract(epoch from instants[head] + interval '60 s' - clock_timestamp())::float8
  from api_key_windows where key_id = $1 and refused = $2`, id, refused).Scan(&seconds)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("apikeys: retry after: %w", err)
	}
	return wholeSeconds(seconds), nil
}

// wholeSeconds rounds up, so that what is promised holds, and is at least 1.
func wholeSeconds(s float64) int { return max(1, int(math.Ceil(s))) }
