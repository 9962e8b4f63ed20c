package identity

import (
	"context"
	"log/slog"
	"time"

	"dg/modules/identity/throttle"
	"dg/platform/apperr"
)

// The answers to a wrong attempt.
var (
	ErrWrongPassword = apperr.New(apperr.Validation,
		"E-mail or password is wrong. Check both and try again.")
	ErrWrongCode = apperr.New(apperr.Validation,
		"This code is wrong, expired or already used. Enter the next one.")
)

// SignIn begins a session for the person with the e-mail and the password. With two-step
// verification on, the session has SecondStepDue until VerifySecondStep. It ends the browser's
// previous session, also another person's, against session fixation.
//
// An unknown e-mail, a person without a password and a wrong password get the same answer after the
// same time, and are counted alike.
//
// Errors: ErrWrongPassword; a LockedError after too many of them, for a right password too;
// apperr.Unavailable when too many people sign in at once.
func (s *Service) SignIn(
	ctx context.Context, email, password string, from Client,
) (Session, error) {
	release, err := s.admit(ctx, from.Address)
	if err != nil {
		return Session{}, err
	}
	defer release()
	if err := s.sweep(ctx, s.clock()); err != nil {
		return Session{}, err
	}
	who, err := s.credentials(ctx, email)
	if err != nil {
		return Session{}, err
	}
	limits := throttle.Passwords(who.Email, from.Address)
	if err := s.verifyPassword(ctx, who, limits, password); err != nil {
		return Session{}, err
	}
	session, err := s.begin(ctx, who, limits, from.Session, s.clock())
	switch {
	case err != nil:
		s.logFailure(ctx, who.Person, err, nil)
	case !session.SecondStepDue:
		s.logSignIn(ctx, slog.LevelInfo, "signed in", session.Person)
	}
	return session, err
}

// VerifySecondStep takes the code, or a recovery code, of a session with SecondStepDue. The session
// continues under the returned token. A code is accepted once, and no earlier one after it.
//
// Errors: ErrNoSession, also after ten minutes; ErrWrongCode; a LockedError after ten of them, for
// a right code too; apperr.Unavailable when too many people sign in at once.
func (s *Service) VerifySecondStep(ctx context.Context, token, code string) (Session, error) {
	release, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return Session{}, err
	}
	defer release()
	session, err := s.withPersonLocked(ctx, token, true,
		func(tx transaction, in lockedSession, now time.Time) (Session, error) {
			if err := s.takeCode(tx, in, code, now); err != nil {
				return Session{}, err
			}
			return s.rotate(tx, in, now, "", nil)
		})
	if err == nil {
		s.logSignIn(ctx, slog.LevelInfo, "signed in", session.Person)
	}
	return session, err
}
