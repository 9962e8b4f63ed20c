package identity

import (
	"context"
	"time"

	"dg/modules/identity/throttle"
	"dg/modules/identity/twostep"
)

// Proof is the current password and, with two-step verification on, a code or recovery code. It
// keeps a stolen session from changing how its person signs in.
type Proof struct{ Password, Code string }

// reauthenticated verifies the password of the proof, runs prepare, which may be nil, and then fn in
// a transaction. fn takes the code.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, apperr.Unavailable when too many people
// sign in at once, and those of prepare and fn.
func (s *Service) reauthenticated(
	ctx context.Context, token string, proof Proof, prepare func(credentials) error, fn change,
) (Session, error) {
	address := requestOf(ctx).Address
	release, err := s.admit(ctx, address)
	if err != nil {
		return Session{}, err
	}
	defer release()
	row, err := s.signedIn(ctx, token, s.clock())
	if err != nil {
		return Session{}, err
	}
	who := row.User.credentials()
	limits := throttle.Passwords(who.Email, address)
	if err := s.verifyPassword(ctx, who, limits, proof.Password); err != nil {
		return Session{}, err
	}
	if prepare != nil {
		if err := prepare(who); err != nil {
			return Session{}, err
		}
	}
	// The password is still the verified one: a change of it would have ended the session.
	return s.withPersonLocked(ctx, token, false,
		func(tx transaction, in lockedSession, now time.Time) (Session, error) {
			if err := throttle.Clear(tx, limits, now); err != nil {
				return Session{}, err
			}
			in.authenticatedAt = nil
			return fn(tx, in, now)
		})
}

// verifyPassword returns nil for the person's password, and counts and logs any other. It
// compares none while one of the limits is reached.
func (s *Service) verifyPassword(
	ctx context.Context, who credentials, limits []throttle.Limit, password string,
) error {
	if err := throttle.Check(s.gorm(ctx), limits, s.clock()); err != nil {
		s.logFailure(ctx, who.Person, err, nil)
		return err
	}
	matches, err := s.passwords.Matches(ctx, who.passwordHash, password)
	if err != nil || matches {
		return err
	}
	lockedUntil, err := throttle.CountFailure(s.gorm(ctx), limits, s.clock())
	if err == nil {
		err = ErrWrongPassword
	}
	s.logFailure(ctx, who.Person, err, lockedUntil)
	return err
}

// takeCode accepts a code or recovery code, and logs any other. The lock of the person's row
// serialises concurrent ones.
func (s *Service) takeCode(tx transaction, in lockedSession, code string, now time.Time) error {
	lockedUntil, err := s.matchCode(tx, in, code, now)
	s.logFailure(tx.Statement.Context, in.Person, err, lockedUntil)
	return err
}

// matchCode stores the step of a right code, deletes a right recovery code, and counts any other.
// lockedUntil is the end of the lock that a wrong code began, or nil.
func (s *Service) matchCode(
	tx transaction, in lockedSession, code string, now time.Time,
) (lockedUntil *time.Time, err error) {
	if err := in.codes.Check(now); err != nil {
		return nil, err
	}
	step := in.lastStep
	var ok, reused bool
	if recovery, is := twostep.ParseRecoveryCode(code); is {
		ok, err = s.useRecoveryCode(tx, in.Person, recovery)
	} else {
		var secret string
		if secret, err = s.keys.open(in.Person.ID, in.secret); err == nil {
			step, ok, reused = twostep.Match(secret, code, now, in.lastStep)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case ok:
		return nil, saveCodeAttempts(tx, in, step, throttle.Codes{})
	case reused: // not counted, so that a form sent many times starts no lock
		return nil, ErrWrongCode
	}
	after := in.codes.AfterFailure(now)
	if err := saveCodeAttempts(tx, in, in.lastStep, after); err != nil {
		return nil, err
	}
	return after.LockedUntil, ErrWrongCode
}
