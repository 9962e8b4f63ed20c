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

// The rate: never more than MaxRequests requests of a key accepted in any RateWindow seconds (specification, section 8).
// authenticate.sql and the table's default hold the same two numbers.
const (
	MaxRequests = 120
	RateWindow  = 60
)

// Caller is a key that was authenticated.
type Caller struct {
	KeyID, KeyName, OrganisationID string
	Scopes                         []Scope
	OrganisationVersion            int64 // another one, never seen before, after every change to the organisation or its forks
	RateLimit                      RateLimit
}

// RateLimit is what a key has left: Remaining requests now, and one more in Reset seconds (at least 1).
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
		wait, err := s.retryAfter(ctx, v, false)
		v.RateLimit.Reset = wait
		return v.Caller, limited(wait, err, overRate)
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
	entry := c.refusal(reason)
	entry.Target, entry.Request = target, request
	if err := s.log.Append(ctx, entry); err != nil {
		return apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	return answer
}

// refusal is the entry of a use that was refused.
func (c Caller) refusal(reason audit.Reason) audit.Entry {
	return audit.Entry{OrganisationID: c.OrganisationID, Actor: c.Actor(), Action: audit.KeyRefused, Reason: reason}
}

// verdict is what the statement says of a key.
type verdict struct {
	Caller
	known   bool
	reason  audit.Reason // "": not refused
	limited bool         // there was no place left, for a request or for recording a refusal
	wait    float64      // where it is limited: seconds until there is one again; over: not known
	unused  bool         // whether it has no use in this minute yet
}

// refuse records a refusal, or counts it where the key has too many to record each.
func (s *Service) refuse(ctx context.Context, v verdict, request audit.Request, answer error) error {
	if !v.limited {
		return s.Refuse(ctx, v.Caller, v.reason, audit.Target{Kind: "api_key", ID: v.KeyID}, request, answer)
	}
	wait, err := s.retryAfter(ctx, v, true)
	if err != nil {
		return err
	}
	if err := s.log.Count(ctx, v.refusal(v.reason)); err != nil {
		return apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	return limited(wait, nil, overRefusals)
}

// The answers beyond the rate, of requests and of refused uses.
const (
	overRate     = "This key has been used %d times in the last %d seconds. Wait %d seconds, then go on."
	overRefusals = "Too many rejected requests with this key: %d in %d seconds. Check its secret and where it is sent; waiting %d seconds alone does not help."
)

// limited is the answer to a use beyond the rate; err is a failure to say for how long.
func limited(wait int, err error, message string) error {
	if err != nil {
		return err
	}
	e := apperr.New(apperr.RateLimited, message, MaxRequests, RateWindow, wait)
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

// judge runs the statement. A key whose window cannot be counted in (it is new, it was lost in a crash of PostgreSQL, or the
// clock was set back) gets one that can, and is asked again.
func (s *Service) judge(ctx context.Context, id string, hash []byte, outside bool) (verdict, error) {
	for range 2 {
		v, hasWindow, err := s.ask(ctx, id, hash, outside)
		if err != nil || !v.known || hasWindow {
			return v, err
		}
		for _, sql := range []string{newWindowsSQL, mendWindowsSQL} {
			if _, err := s.db.Pool.Exec(ctx, sql, id); err != nil {
				return verdict{}, fmt.Errorf("apikeys: windows: %w", err)
			}
		}
	}
	return verdict{}, errors.New("apikeys: a key's windows vanished while it was authenticated")
}

const newWindowsSQL = `/* apikeys.newWindows */
insert into api_key_windows (key_id, refused) values ($1, false), ($1, true) on conflict do nothing`

// mendWindowsSQL makes stamps of the future stamps of now (decisions, "Rate"): they leave the window 60 seconds later,
// however far the clock was set back.
const mendWindowsSQL = `/* apikeys.mendWindows */
update api_key_windows set head = 1, instants = (
    select array_agg(m.at order by m.at) from (select least(i, clock_timestamp()) as at from unnest(instants) i) m)
 where key_id = $1 and clock_timestamp() < any (instants)`

func (s *Service) ask(ctx context.Context, id string, hash []byte, outside bool) (v verdict, hasWindow bool, err error) {
	var budget []float64
	var wait *float64
	err = s.db.Pool.QueryRow(ctx, authenticateSQL, id, hash, outside).
		Scan(&v.KeyID, &v.OrganisationID, &v.KeyName, &v.Scopes, &v.OrganisationVersion, &v.reason, &budget, &wait, &v.unused)
	if errors.Is(err, pgx.ErrNoRows) {
		return verdict{}, false, nil
	}
	if err != nil {
		return verdict{}, false, fmt.Errorf("apikeys: authenticate: %w", err)
	}
	v.known, v.limited = true, budget == nil
	if budget != nil {
		v.RateLimit = RateLimit{Remaining: int(budget[0]), Reset: wholeSeconds(budget[1])}
	}
	if wait != nil {
		v.wait = *wait
	}
	return v, budget != nil || wait != nil, nil
}

// retryAfter says in how many seconds the key has a place again. Where the statement lost a race for the last place, its
// snapshot is older than that was taken, and a statement of its own looks again.
func (s *Service) retryAfter(ctx context.Context, v verdict, refused bool) (int, error) {
	seconds := v.wait
	if seconds <= 0 {
		err := s.db.Pool.QueryRow(ctx, `/* apikeys.retryAfter */
select extract(epoch from greatest(instants[head], 'epoch') + interval '60 s' - clock_timestamp())::float8
  from api_key_windows where key_id = $1 and refused = $2`, v.KeyID, refused).Scan(&seconds)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return 0, fmt.Errorf("apikeys: retry after: %w", err)
		}
	}
	return wholeSeconds(seconds), nil
}

// wholeSeconds rounds up, so that what is promised holds, and is at least 1.
func wholeSeconds(s float64) int { return max(1, int(math.Ceil(s))) }
