package identity

import (
	"cmp"
	"context"
	"errors"
	"time"

	"dg/modules/audit"
)

// change is a transaction that changes a person's credentials. It holds the lock of the person's
// row, which serialises these changes.
type change struct {
	service   *Service
	tx        transaction
	now       time.Time
	token     string
	from      sessionRow
	continued Session // the session after rotate
}

// changePerson runs fn for a session's person in one transaction. After ErrWrongCode it commits, so
// that the code is counted. A session whose SecondStepDue is not secondStepDue gives ErrNoSession.
func (s *Service) changePerson(
	ctx context.Context, token string, secondStepDue bool, fn func(*change) error,
) (continued Session, err error) {
	var wrongCode error
	err = s.gorm(ctx).Transaction(func(tx transaction) error {
		now := s.clock()
		if err := lockPersonOf(tx, token); err != nil {
			return err
		}
		from, err := s.session(tx, token, now)
		if err == nil && from.SecondStepDue != secondStepDue {
			err = ErrNoSession
		}
		if err != nil {
			return err
		}
		c := change{service: s, tx: tx, now: now, token: token, from: from}
		err = fn(&c)
		continued = c.continued
		if errors.Is(err, ErrWrongCode) {
			wrongCode = err
			return nil
		}
		return err
	})
	return continued, cmp.Or(err, wrongCode)
}

// rotate sets columns of the person, whose triggers may end all sessions, stores the session under a
// new token with its second step done, and records the action; "" is none. A session that ended
// while it waited for the lock stays ended.
func (c *change) rotate(action audit.Action, columns map[string]any) error {
	ended, err := endSession(c.tx, c.token)
	if err != nil {
		return err
	}
	if ended == 0 {
		return ErrNoSession
	}
	if columns != nil {
		if err := updateUser(c.tx, "identity.changePerson", c.from.UserID, columns); err != nil {
			return err
		}
	}
	person, err := takeRow[userRow](c.tx, "identity.person", ErrNoSession, "id = ?", c.from.UserID)
	if err != nil {
		return err
	}
	c.continued = Session{
		Person: person.person(), Token: newToken(), StartedAt: c.from.CreatedAt,
	}
	err = insertSession(c.tx, c.continued, c.from.AuthenticatedAt, c.now)
	if err != nil || action == "" {
		return err
	}
	return c.service.recorder.record(c.tx, c.continued.Person, audit.Entry{Action: action})
}

// verifyCode accepts a code or recovery code once. It counts and logs any other. A person without
// two-step verification needs no code.
func (c *change) verifyCode(code string) error {
	if c.from.User.TOTPSecret == nil {
		return nil
	}
	limits := codeLimits(c.from.UserID, *c.from.User.TOTPSecret)
	match := func() error { return c.matchCode(code) }
	if err := c.service.attempt(c.tx, c.from.User, limits, match); err != nil {
		return err
	}
	return countAttempt(c.tx, limits, 0, c.now)
}

// matchCode deletes a right recovery code, or stores the step of a right code of the app. Errors:
// ErrWrongCode.
func (c *change) matchCode(code string) error {
	if recovery, is := parseRecoveryCode(code); is {
		return c.useRecoveryCode(recovery)
	}
	secret, err := c.service.keys.open(c.from.UserID, *c.from.User.TOTPSecret)
	if err != nil {
		return err
	}
	step, ok := matchTOTP(secret, code, c.now, c.from.User.TOTPLastStep)
	if !ok {
		return ErrWrongCode
	}
	return updateUser(c.tx, "identity.useCode", c.from.UserID, map[string]any{"totp_last_step": step})
}
