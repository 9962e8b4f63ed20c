package identity

import (
	"context"
	"time"

	"dg/platform/apperr"
)

// reauthenticationTTL is how long a password counts as just entered.
const reauthenticationTTL = 15 * time.Minute

// ErrPasswordDue says that the password was not entered for 15 minutes.
var ErrPasswordDue = apperr.NewField("current", "Enter your password again.")

// Proof is the current password and, with two-step verification on, a code or recovery code. It
// keeps a stolen session from changing how its person signs in.
type Proof struct{ Password, Code string }

// Reauthenticate returns nil if the session's person entered the password (and the code, with
// two-step verification on) within the last 15 minutes, or else if the proof is right. Signing in
// counts as entering them, from the password on.
//
// Errors: ErrNoSession, ErrPasswordDue for a proof without a password, ErrWrongPassword,
// ErrWrongCode, a LockedError, apperr.Unavailable when too many people sign in at once.
func (s *Service) Reauthenticate(ctx context.Context, token string, proof Proof) error {
	own, err := s.signedIn(ctx, token)
	switch {
	case err != nil || own.Fresh:
		return err
	case proof.Password == "":
		return ErrPasswordDue
	}
	_, err = s.reauthenticated(ctx, token, proof, func(c *change) error {
		// A form that is sent twice has one code: the first request has marked the session.
		if c.from.Fresh {
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

// reauthenticated verifies the password of the proof, and runs fn as a change of the person. fn
// must verify the code.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, apperr.Unavailable when too many people
// sign in at once, and those of fn.
func (s *Service) reauthenticated(
	ctx context.Context, token string, proof Proof, fn func(*change) error,
) (Session, error) {
	release, err := s.slots.Acquire(ctx, networkOf(ctx))
	if err != nil {
		return Session{}, err
	}
	defer release()
	own, err := s.signedIn(ctx, token)
	if err != nil {
		return Session{}, err
	}
	limits, err := s.verifyPassword(ctx, own.User, proof.Password)
	if err != nil {
		return Session{}, err
	}
	// The password is still the person's: a change of it would have ended the session.
	return s.changePerson(ctx, token, false, func(c *change) error {
		if err := countAttempt(c.tx, limits, 0, c.now); err != nil {
			return err
		}
		c.from.AuthenticatedAt = nil
		return fn(c)
	})
}
