package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/modules/audit"
	"dg/platform/postgres"
)

// maxPeople bounds People.
const maxPeople = 1000

// People returns the people with the ids, by name: at most 1,000. Unknown ids are left out.
func (s *Service) People(ctx context.Context, ids []string) ([]Person, error) {
	if len(ids) > maxPeople {
		return nil, fmt.Errorf("identity: people: %d ids, more than %d", len(ids), maxPeople)
	}
	var rows []userRow
	if err := s.gorm(ctx).Scopes(postgres.Tag("identity.people")).Where("id in ?", ids).
		Order("name, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, nil
}

// lockedSession is a session under the lock of its person's row: changes of a person happen one
// after the other.
type lockedSession struct {
	Session
	client           sessionClient
	offeredSecret    string // as stored; "": none
	secret           string // as stored; "": two-step verification is off
	lastStep         int64  // of the last code that was accepted
	codes            codeAttempts
	usedRecoveryCode bool
	lockedUntil      *time.Time // the lock that a wrong code began, or nil
}

func (r sessionRow) locked(token string) lockedSession {
	return lockedSession{
		Session: r.session(token),
		client: sessionClient{
			address:   r.Address,
			userAgent: r.UserAgent,
			browser:   r.KnownBrowser,
		},
		offeredSecret: valueOf(r.TOTPOffer),
		secret:        valueOf(r.User.TOTPSecret),
		lastStep:      valueOf(r.User.TOTPLastStep),
		codes: codeAttempts{
			wrong:       r.User.WrongCodes,
			locks:       r.User.CodeWaits,
			lockedUntil: r.User.CodesWaitUntil,
		},
	}
}

// change is what a request does to a person.
type change func(tx transaction, in *lockedSession, now time.Time) error

// withPersonLocked runs fn for the person of a session in one transaction. A wrong code is counted
// although fn failed.
func (s *Service) withPersonLocked(
	ctx context.Context, token string, secondStepDue bool, fn change,
) (Session, error) {
	var in lockedSession
	var wrongCode error
	err := s.inTransaction(ctx, func(tx transaction) (err error) {
		now := s.clock()
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
		// a wrong code at enrolment is no failed sign-in: who sends it has seen the secret
		if in.secret != "" {
			s.recordFailure(ctx, in.Person, err, in.lockedUntil)
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

// rotate gives the session a new token, with its second step done, and runs apply, which may be
// nil, in between: a change of password or secret ends all sessions there are. The action is
// recorded; "" is none. A session that ended while it waited for the lock does not come back.
func (s *Service) rotate(
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
	if err := insertSession(tx, in.Session, in.client, now); err != nil {
		return err
	}
	if err := s.recordRecoveryCode(tx, in); err != nil || action == "" {
		return err
	}
	return s.record(tx, in.Person, event{action: action})
}

// recordRecoveryCode records that the code was a recovery code, if it was.
func (s *Service) recordRecoveryCode(tx transaction, in *lockedSession) error {
	if !in.usedRecoveryCode {
		return nil
	}
	return s.record(tx, in.Person, event{action: audit.RecoveryCodeUsed})
}

func person(tx transaction, id string) (Person, error) {
	var row userRow
	if err := tx.Scopes(postgres.Tag("identity.person")).Where("id = ?", id).Take(&row).
		Error; err != nil {
		return Person{}, fmt.Errorf("identity: person: %w", err)
	}
	return row.person(), nil
}

// SetRegion stores how the session's person writes numbers and dates; "" leaves it to the browser.
// Errors: ErrNoSession.
func (s *Service) SetRegion(ctx context.Context, token, region string) error {
	of, err := s.signedIn(ctx, token, s.clock())
	if err != nil {
		return err
	}
	var stored *string
	if region != "" {
		stored = &region
	}
	return update(s.gorm(ctx), "setRegion", of.Person.ID, map[string]any{"region": stored})
}

// update sets columns of a person.
func update(tx transaction, name, personID string, columns map[string]any) error {
	err := tx.Scopes(postgres.Tag("identity."+name)).Model(&userRow{}).Where("id = ?", personID).
		Updates(columns).Error
	if err != nil {
		return fmt.Errorf("identity: %s: %w", name, err)
	}
	return nil
}
