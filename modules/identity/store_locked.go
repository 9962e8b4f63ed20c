package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"dg/modules/audit"
	"dg/modules/identity/throttle"
	"dg/platform/postgres"
)

// lockedSession is a session under the lock of its person's row, which serialises the changes of a
// person.
type lockedSession struct {
	Session
	offeredSecret string // as stored; "": none
	secret        string // as stored; "": two-step verification is off
	lastStep      int64  // of the last code that was accepted
	codes         throttle.Codes
	// when the password was entered; nil: by this request
	authenticatedAt *time.Time
}

func (r sessionRow) locked(token string) lockedSession {
	return lockedSession{
		Session:       r.session(token),
		offeredSecret: valueOf(r.TOTPOffer),
		secret:        valueOf(r.User.TOTPSecret),
		lastStep:      valueOf(r.User.TOTPLastStep),
		codes: throttle.Codes{
			Wrong:       r.User.WrongCodes,
			Locks:       r.User.CodeWaits,
			LockedUntil: r.User.CodesWaitUntil,
		},
		authenticatedAt: r.AuthenticatedAt,
	}
}

// change changes a person in a transaction, and returns the session under which the browser
// continues.
type change func(tx transaction, in lockedSession, now time.Time) (Session, error)

// withPersonLocked runs fn for a session's person in one transaction. After ErrWrongCode it commits,
// so that the code is counted.
func (s *Service) withPersonLocked(
	ctx context.Context, token string, secondStepDue bool, fn change,
) (continued Session, err error) {
	var wrongCode error
	err = s.inTransaction(ctx, func(tx transaction) error {
		now := s.clock()
		in, err := lockPerson(tx, token, secondStepDue, now)
		if err != nil {
			return err
		}
		continued, err = fn(tx, in, now)
		if errors.Is(err, ErrWrongCode) {
			wrongCode = err
			return nil
		}
		return err
	})
	return continued, cmp.Or(err, wrongCode)
}

func lockPerson(
	tx transaction, token string, secondStepDue bool, now time.Time,
) (lockedSession, error) {
	var row sessionRow
	err := tx.Scopes(postgres.Tag("identity.lockPerson")).InnerJoins("User").Clauses(lockUser).
		Where("token_hash = ? and expires_at > ? and second_step_due = ?", hashToken(token), now,
			secondStepDue).Take(&row).Error
	if err != nil {
		return lockedSession{}, noRow(err, ErrNoSession, "lock a person")
	}
	return row.locked(token), nil
}

// rotate deletes the session, runs apply, which may be nil, and stores the session under a new token
// with its second step done: triggers of apply's change end all other sessions. It records the
// action; "" is none. A session that ended while it waited for the lock stays ended.
func (s *Service) rotate(
	tx transaction, in lockedSession, now time.Time, action audit.Action, apply func() error,
) (rotated Session, err error) {
	ended := tx.Scopes(postgres.Tag("identity.rotate")).
		Where("token_hash = ?", hashToken(in.Token)).
		Delete(&sessionRow{})
	if ended.Error != nil {
		return rotated, fmt.Errorf("identity: rotate: %w", ended.Error)
	}
	if ended.RowsAffected == 0 {
		return rotated, ErrNoSession
	}
	if apply != nil {
		if err := apply(); err != nil {
			return rotated, err
		}
	}
	rotated = Session{Token: newToken(), StartedAt: in.StartedAt}
	if rotated.Person, err = person(tx, in.Person.ID); err != nil {
		return rotated, err
	}
	if err := insertSession(tx, rotated, in.authenticatedAt, now); err != nil || action == "" {
		return rotated, err
	}
	return rotated, s.record(tx, rotated.Person, event{action: action})
}
