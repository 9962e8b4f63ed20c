package identity

import (
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
	offeredSecret    string // as stored; "": none
	secret           string // as stored; "": two-step verification is off
	lastStep         int64  // of the last code that was accepted
	codes            throttle.Codes
	usedRecoveryCode bool
	lockedUntil      *time.Time // the lock that a wrong code began, or nil
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
	}
}

// change changes a person in a transaction.
type change func(tx transaction, in *lockedSession, now time.Time) error

// withPersonLocked runs fn for a session's person in one transaction. After ErrWrongCode it commits,
// so that the code is counted.
func (c *changer) withPersonLocked(
	ctx context.Context, token string, secondStepDue bool, fn change,
) (Session, error) {
	var in lockedSession
	var wrongCode error
	err := c.inTransaction(ctx, func(tx transaction) (err error) {
		now := c.clock()
		if in, err = lockPerson(tx, token, secondStepDue, now); err != nil {
			return err
		}
		err = fn(tx, &in, now)
		if errors.Is(err, ErrWrongCode) {
			wrongCode = err
			err = nil
		}
		return err
	})
	if err == nil {
		err = wrongCode
	}
	if err != nil {
		// a wrong code at enrolment is not a failed sign-in: the client has seen the secret
		if in.secret != "" {
			c.logFailure(ctx, in.Person, err, in.lockedUntil)
		}
		return Session{}, err
	}
	return in.Session, nil
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
func (c *changer) rotate(
	tx transaction, in *lockedSession, now time.Time, action audit.Action, apply func() error,
) error {
	ended := tx.Scopes(postgres.Tag("identity.rotate")).
		Where("token_hash = ?", hashToken(in.Token)).
		Delete(&sessionRow{})
	if ended.Error != nil {
		return fmt.Errorf("identity: rotate: %w", ended.Error)
	}
	if ended.RowsAffected == 0 {
		return ErrNoSession
	}
	if apply != nil {
		if err := apply(); err != nil {
			return err
		}
	}
	var err error
	if in.Person, err = person(tx, in.Person.ID); err != nil {
		return err
	}
	in.Token = newToken()
	in.SecondStepDue = false
	if err := insertSession(tx, in.Session, now); err != nil {
		return err
	}
	if err := c.recordRecoveryCode(tx, in); err != nil || action == "" {
		return err
	}
	return c.record(tx, in.Person, event{action: action})
}

// recordRecoveryCode records the use of a recovery code, if the code was one.
func (c *changer) recordRecoveryCode(tx transaction, in *lockedSession) error {
	if !in.usedRecoveryCode {
		return nil
	}
	return c.record(tx, in.Person, event{action: audit.RecoveryCodeUsed})
}
