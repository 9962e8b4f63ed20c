package identity

import (
	"context"
	"errors"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
)

const reauthenticationTTL = 15 * time.Minute

// ErrPasswordDue says that Reauthenticate needs the password again.
var ErrPasswordDue = apperr.NewField("current", "Enter your password again.")

// Proof is the current password and, with two-step verification on, a code or recovery code. A
// thief of a session has neither, so cannot change the credentials.
type Proof struct{ Password, Code string }

// Reauthenticate returns nil if the proof is correct, or if the session's password was entered
// within the last reauthenticationTTL. Errors: ErrPasswordDue for a proof without a password,
// ErrWrongCode, those of withPassword.
func (s *Service) Reauthenticate(ctx context.Context, token string, proof Proof) error {
	row, err := s.signedInSession(ctx, token)
	if err != nil || row.Fresh {
		return err
	}
	if proof.Password == "" {
		return ErrPasswordDue
	}
	_, err = s.withPassword(ctx, token, proof, func(c *change) error {
		if c.session.Fresh { // a form sent twice repeats a code that the first request has used up
			return nil
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		return updateSession(c.tx, "identity.markAuthenticated", token,
			map[string]any{"authenticated_at": sqlNow})
	})
	return err
}

// withPassword checks the password, then calls changePerson with fn, which must verify the code.
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, those of fn, apperr.Unavailable (too many
// sign-ins, an unreadable secret, a failed write to the audit log).
func (s *Service) withPassword(
	ctx context.Context, token string, proof Proof, fn func(*change) error,
) (Session, error) {
	release, err := s.slots.Acquire(ctx, networkOf(ctx))
	if err != nil {
		return Session{}, err
	}
	defer release()
	row, err := s.signedInSession(ctx, token)
	if err != nil {
		return Session{}, err
	}
	limits, err := s.verifyPassword(ctx, row.User, proof.Password)
	if err != nil {
		return Session{}, err
	}
	// The password is still correct, because its change would have ended the session.
	return s.changePerson(ctx, token, false, func(c *change) error {
		if err := countAttempt(c.tx, limits, 0, c.now); err != nil {
			return err
		}
		c.session.AuthenticatedAt = nil
		return fn(c)
	})
}

// change is a transaction on a person's credentials or sessions. The person's row is locked.
type change struct {
	service    *Service
	tx         transaction
	now        time.Time
	token      string
	session    sessionRow // the session before rotate
	newSession Session    // the session after rotate
}

// changePerson calls fn with the person's row locked. It returns the new session if fn calls
// rotate, else a zero one. It commits even after ErrWrongCode, so that the count of wrong codes
// persists. Errors: those of fn; ErrNoSession, also if the session's SecondStepDue differs.
func (s *Service) changePerson(
	ctx context.Context, token string, secondStepDue bool, fn func(*change) error,
) (newSession Session, err error) {
	var wrongCodeErr error
	err = s.gorm(ctx).Transaction(func(tx transaction) error {
		now := s.clock()
		if err := lockPersonOf(tx, token); err != nil {
			return err
		}
		row, err := readSession(tx, token, now, false)
		if err != nil {
			return err
		}
		if row.SecondStepDue != secondStepDue {
			return ErrNoSession
		}
		c := change{service: s, tx: tx, now: now, token: token, session: row}
		err = fn(&c)
		newSession = c.newSession
		if errors.Is(err, ErrWrongCode) {
			wrongCodeErr = err
			return nil
		}
		return err
	})
	if err != nil {
		return Session{}, err
	}
	return newSession, wrongCodeErr
}

// rotate updates columns of the person, and replaces the session by one with a new token. It
// inserts the new session after the update, because a trigger of users may end all sessions.
// Errors: ErrNoSession if the session has ended since it was read.
func (c *change) rotate(action audit.Action, columns map[string]any) error {
	if err := endSession(c.tx, c.token, ErrNoSession); err != nil {
		return err
	}
	if columns != nil {
		if err := updateUser(c.tx, "identity.changePerson", c.session.UserID, columns); err != nil {
			return err
		}
	}
	person, err := takeRow[userRow](c.tx, "identity.person", ErrNoSession, "id = ?", c.session.UserID)
	if err != nil {
		return err
	}
	c.newSession = Session{
		Person: person.person(), Token: newToken(), StartedAt: c.session.CreatedAt,
	}
	if err := insertSession(c.tx, c.newSession, c.session.AuthenticatedAt, c.now); err != nil {
		return err
	}
	if action == "" {
		return nil
	}
	return c.service.recorder.record(c.tx, c.newSession.Person, audit.Entry{Action: action})
}

// verifyCode accepts any code while two-step verification is off. It counts and logs wrong codes.
func (c *change) verifyCode(code string) error {
	if c.session.User.TOTPSecret == nil {
		return nil
	}
	limits := codeLimits(c.session.User)
	match := func() error { return c.useCode(code) }
	if err := c.service.matchWithin(c.tx, c.session.User, limits, match); err != nil {
		return err
	}
	return countAttempt(c.tx, limits, 0, c.now)
}

// useCode deletes a recovery code or stores the step of a TOTP code, so that the code works once.
func (c *change) useCode(code string) error {
	if recoveryCode, ok := parseRecoveryCode(code); ok {
		return c.useRecoveryCode(recoveryCode)
	}
	secret, err := c.service.keyring.decryptStored(c.session.UserID, *c.session.User.TOTPSecret)
	if err != nil {
		return err
	}
	step, ok := matchTOTP(secret, code, c.now, c.session.User.TOTPLastStep)
	if !ok {
		return ErrWrongCode
	}
	return updateUser(c.tx, "identity.useCode", c.session.UserID, map[string]any{"totp_last_step": step})
}
