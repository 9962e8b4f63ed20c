package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// maxOneByOne failures of an account, and as many sign-ins of a person, are recorded one by one in a minute; those beyond
// are counted.
const maxOneByOne = 20

// fail records that somebody failed to sign in as the person, for a wrong guess or in a wait; other errors are no failures.
// ended is the wait that the failure has begun, or nil. What cannot be recorded is logged: a failure is answered as one.
//
// An e-mail that nobody has is treated alike, so that the time that an answer takes tells nothing.
func (s *Service) fail(ctx context.Context, of Person, err error, ended *time.Time) {
	event := Event{Kind: SignInFailed, PersonID: of.ID, Person: of.Name, Request: requestOf(ctx)}
	var wait *LockedError
	switch {
	case errors.Is(err, ErrWrongPassword):
		event.Failure = FailedPassword
	case errors.Is(err, ErrWrongCode):
		event.Failure = FailedCode
	case errors.As(err, &wait):
		event.Failure = FailedLocked
	default:
		return
	}
	if err := s.recordFailure(ctx, event, EmailKey(of.Email), ended); err != nil {
		s.log.ErrorContext(ctx, "a failed sign-in could not be recorded in the audit log", "reason", event.Failure, "error", err)
	}
}

func (s *Service) recordFailure(ctx context.Context, event Event, emailKey string, ended *time.Time) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		add := s.events.Record
		if alone, err := oneByOne(ctx, tx, "failures", emailKey, s.clock()); err != nil {
			return err
		} else if !alone {
			add = s.events.Count
		}
		if err := add(ctx, tx, event); err != nil {
			return err
		}
		if ended != nil {
			event.Kind, event.Failure = SignInLocked, ""
			event.Details = map[string]any{"until": ended.UTC().Format(time.RFC3339)}
			if err := s.events.Record(ctx, tx, event); err != nil {
				return err
			}
		}
		if event.PersonID == "" { // nothing was written that the commit waits for, as it does for an entry
			if _, err := tx.Exec(ctx, `/* identity.failUnknown */ select pg_logical_emit_message(true, 'dg', '')`); err != nil {
				return fmt.Errorf("identity: fail as nobody: %w", err)
			}
		}
		return nil
	})
}

// oneByOne says whether an event of the kind is recorded one by one. In a flood it looks and does not wait for a row.
func oneByOne(ctx context.Context, tx pgx.Tx, kind, of string, now time.Time) (bool, error) {
	b := newBudget(kind, of, maxOneByOne, time.Minute)
	err := waitOf(ctx, tx, []budget{b}, now)
	if _, used := errors.AsType[*LockedError](err); used {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok, err := count(ctx, tx, b, now)
	return ok, err
}
