package identity

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"dg/platform/apperr"
)

// Attempts that return these errors count towards the limits, except those of ConfirmTwoStep.
var (
	ErrWrongPassword = apperr.New(apperr.Validation,
		"E-mail or password is wrong. Check both and try again.")
	ErrWrongCode = apperr.NewField("code",
		"The code is wrong, expired or already used. Check the clock of your phone, then "+
			"enter the current code.")
)

// SignIn begins a session for the person with the e-mail and the password. With two-step
// verification on, the session has SecondStepDue until VerifySecondStep. Against session fixation,
// SignIn ends the browser's session of previousToken, which may be another person's or empty.
// Errors: ErrWrongPassword; a LockedError after too many wrong passwords, even for a correct one;
// apperr.Unavailable when too many people sign in at once.
func (s *Service) SignIn(ctx context.Context, email, password, previousToken string) (Session, error) {
	release, err := s.slots.Acquire(ctx, networkOf(ctx))
	if err != nil {
		return Session{}, err
	}
	defer release()
	if err := sweep(s.gorm(ctx), s.clock()); err != nil {
		return Session{}, err
	}
	user, err := userByEmail(s.gorm(ctx), email)
	if err != nil {
		return Session{}, err
	}
	limits, err := s.verifyPassword(ctx, user, password)
	if err != nil {
		return Session{}, err
	}
	var session Session
	err = s.gorm(ctx).Transaction(func(tx transaction) error {
		if session, err = beginSession(tx, user, limits, s.clock()); err != nil {
			return err
		}
		return endSession(tx, previousToken, nil)
	})
	if err != nil {
		s.recorder.recordFailedAttempt(ctx, user.person(), err)
		return Session{}, err
	}
	if !session.SecondStepDue {
		s.recorder.logSignIn(ctx, slog.LevelInfo, "signed in", session.Person)
	}
	return session, nil
}

// VerifySecondStep takes the code, or a recovery code, for a session with SecondStepDue. The
// session continues under a new token. Errors: ErrNoSession, also ten minutes after SignIn;
// ErrWrongCode; a LockedError after ten wrong codes, even for a correct one; apperr.Unavailable
// when too many people sign in at once, the secret cannot be decrypted, or the use of a recovery
// code cannot be recorded.
func (s *Service) VerifySecondStep(ctx context.Context, token, code string) (Session, error) {
	release, err := s.slots.Acquire(ctx, networkOf(ctx))
	if err != nil {
		return Session{}, err
	}
	defer release()
	session, err := s.changePerson(ctx, token, true, func(c *change) error {
		if err := c.verifyCode(code); err != nil {
			return err
		}
		return c.rotate("", nil)
	})
	if err != nil {
		return Session{}, err
	}
	s.recorder.logSignIn(ctx, slog.LevelInfo, "signed in", session.Person)
	return session, nil
}

// userByEmail returns a row without an id for an unknown e-mail: SignIn computes a hash in any case.
func userByEmail(db transaction, email string) (userRow, error) {
	unknownUser := userRow{Email: email}
	key := EmailKey(email)
	if !utf8.ValidString(key) || strings.Contains(key, "\x00") {
		return unknownUser, nil // PostgreSQL cannot store such text
	}
	row, err := takeRow[userRow](db, "identity.byEmail", ErrNoSuchEmail, "email_key = ?", key)
	if errors.Is(err, ErrNoSuchEmail) {
		return unknownUser, nil
	}
	return row, err
}

// verifyPassword returns the limits, so that the caller resets them in its transaction.
func (s *Service) verifyPassword(
	ctx context.Context, user userRow, password string,
) (limits []guessLimit, err error) {
	limits = passwordLimits(user, requestOf(ctx).Address)
	return limits, s.matchWithin(s.gorm(ctx), user, limits, func() error {
		matches, err := s.passwords.matches(ctx, user.PasswordHash, password)
		if err != nil || matches {
			return err
		}
		return ErrWrongPassword
	})
}

// beginSession stores a session, if the password hash is still the verified one, and resets the
// limits. The share lock delays a concurrent change of the password, which then ends the session.
func beginSession(
	tx transaction, user userRow, limits []guessLimit, now time.Time,
) (session Session, err error) {
	row, err := takeRow[userRow](tx.Clauses(lockShare), "identity.verified", ErrWrongPassword,
		"id = ? and password_hash = ?", user.ID, user.PasswordHash)
	if err != nil {
		return session, err
	}
	if err := countAttempt(tx, limits, 0, now); err != nil {
		return session, err
	}
	session = Session{
		Person:        row.person(),
		Token:         newToken(),
		StartedAt:     now,
		SecondStepDue: row.TOTPSecret != nil,
	}
	return session, insertSession(tx, session, nil, now)
}
