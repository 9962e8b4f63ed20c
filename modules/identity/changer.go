package identity

import (
	"context"
	"time"

	"dg/modules/identity/throttle"
	"dg/modules/identity/twostep"
)

// changer changes how a person signs in, under the lock of the person's row.
type changer struct {
	*verifier
	keys Keyring // of the secrets of two-step verification
}

// Proof is the current password and, with two-step verification on, a code or recovery code. It
// keeps a stolen session from changing how its person signs in.
type Proof struct{ Password, Code string }

// reauthenticated verifies the password of the proof, runs prepare, which may be nil, and then fn in
// a transaction. fn takes the code.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, apperr.Unavailable when too many people
// sign in at once, and those of prepare and fn.
func (c *changer) reauthenticated(
	ctx context.Context, token string, proof Proof, prepare func(credentials) error, fn change,
) (Session, error) {
	address := requestOf(ctx).Address
	release, err := c.admit(ctx, address)
	if err != nil {
		return Session{}, err
	}
	defer release()
	row, err := c.signedIn(ctx, token, c.clock())
	if err != nil {
		return Session{}, err
	}
	who := row.User.credentials()
	limits := throttle.Passwords(who.Email, address)
	if err := c.verifyPassword(ctx, who, limits, proof.Password); err != nil {
		return Session{}, err
	}
	if prepare != nil {
		if err := prepare(who); err != nil {
			return Session{}, err
		}
	}
	// The password is still the verified one: a change of it would have ended the session.
	return c.withPersonLocked(ctx, token, false,
		func(tx transaction, in *lockedSession, now time.Time) error {
			if err := throttle.Clear(tx, limits, now); err != nil {
				return err
			}
			return fn(tx, in, now)
		})
}

// takeCode accepts a code or recovery code. The lock of the person's row serialises concurrent ones.
func (c *changer) takeCode(tx transaction, in *lockedSession, code string, now time.Time) error {
	if err := in.codes.Check(now); err != nil {
		return err
	}
	step, ok, reused, err := c.matchCode(tx, in, code, now)
	switch {
	case err != nil:
		return err
	case ok:
		return saveCodeAttempts(tx, in, step, throttle.Codes{})
	case reused: // not counted, so that a form sent many times starts no lock
		return ErrWrongCode
	}
	after := in.codes.AfterFailure(now)
	in.lockedUntil = after.LockedUntil
	if err := saveCodeAttempts(tx, in, in.lastStep, after); err != nil {
		return err
	}
	return ErrWrongCode
}

// matchCode is twostep.Match for codes and recovery codes. It deletes the recovery code.
func (c *changer) matchCode(
	tx transaction, in *lockedSession, code string, now time.Time,
) (step int64, ok, reused bool, err error) {
	if recovery, is := twostep.ParseRecoveryCode(code); is {
		in.usedRecoveryCode, err = useRecoveryCode(tx, in.Person.ID, recovery)
		return in.lastStep, in.usedRecoveryCode, false, err
	}
	secret, err := c.keys.open(in.Person.ID, in.secret)
	if err != nil {
		return 0, false, false, err
	}
	step, ok, reused = twostep.Match(secret, code, now, in.lastStep)
	return step, ok, reused, nil
}
