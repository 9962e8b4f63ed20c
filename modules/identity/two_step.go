package identity

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// Errors of two-step verification in the wrong state: already on, or not on.
var (
	ErrTwoStepOn = apperr.New(apperr.Validation,
		"Two-step verification is already on. To use another app, turn it off first.")
	ErrTwoStepOff = apperr.New(apperr.Validation, "Two-step verification is off. Set it up first.")
)

// VerifySecondStep takes the code, or a recovery code, of a session with SecondStepDue. The session
// continues under the returned token. A code is accepted once, and none before it; a recovery code
// once.
//
// Errors: ErrNoSession, also after ten minutes; ErrWrongCode; a LockedError after ten of them, for
// a right code too; apperr.Unavailable when too many people sign in at once.
func (s *Service) VerifySecondStep(ctx context.Context, token, code string) (Session, error) {
	ctx, lease, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	return s.withPersonLocked(ctx, token, true,
		func(tx transaction, in *lockedSession, now time.Time) error {
			if err := s.takeCode(tx, in, code, now); err != nil {
				return err
			}
			if err := s.rotate(tx, in, now, "", nil); err != nil {
				return err
			}
			return s.record(tx, in.Person, event{action: audit.SignedIn})
		})
}

// Enrolment is a secret to set up an authenticator app with: typed, or as the URL in a QR code.
type Enrolment struct{ Secret, URL string }

// BeginTwoStep returns the secret that the session's person may turn two-step verification on with:
// the same each time, until it is confirmed or the session ends. Errors: ErrNoSession,
// ErrTwoStepOn.
func (s *Service) BeginTwoStep(ctx context.Context, token string) (Enrolment, error) {
	now := s.clock()
	own, err := s.session(ctx, token, now)
	if err != nil {
		return Enrolment{}, err
	}
	stored, err := s.offerSecret(ctx, token, s.keys.encrypt(own.UserID, newTOTPSecret()), now)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := s.keys.open(own.UserID, stored)
	if err != nil {
		return Enrolment{}, err
	}
	return Enrolment{Secret: secret, URL: totpURL(own.User.Email, secret)}, nil
}

// ConfirmTwoStep turns two-step verification on with the offered secret, given the current password
// and a code of the secret, and returns ten recovery codes, which are never returned again. Every
// other session of the person ends; this one continues under the returned token.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, ErrTwoStepOn, ErrTwoStepOff when no secret
// was offered, ErrWrongCode (not counted: who sends the code has seen the secret).
func (s *Service) ConfirmTwoStep(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in *lockedSession, now time.Time) error {
			switch {
			case in.secret != "":
				return ErrTwoStepOn
			case in.offeredSecret == "":
				return ErrTwoStepOff
			}
			secret, err := s.keys.open(in.Person.ID, in.offeredSecret)
			if err != nil {
				return err
			}
			step, ok, _ := matchTOTP(secret, proof.Code, now, 0)
			if !ok {
				return ErrWrongCode
			}
			return s.rotate(tx, in, now, audit.TwoStepTurnedOn, func() (err error) {
				if err := turnOnTwoStep(tx, in, s.keys.encrypt(in.Person.ID, secret), step,
					now); err != nil {
					return err
				}
				codes, err = replaceRecoveryCodes(tx, in.Person.ID)
				return err
			})
		})
	return codes, session, err
}

// TurnOffTwoStep turns two-step verification off, given the current password and a code or recovery
// code, and voids the recovery codes. Every other session of the person ends; this one continues
// under the returned token.
//
// Errors: ErrNoSession, ErrWrongPassword, ErrTwoStepOff, ErrWrongCode, a LockedError.
func (s *Service) TurnOffTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.changeTwoStep(ctx, token, proof, audit.TwoStepTurnedOff, turnOffTwoStep)
}

// ReplaceRecoveryCodes returns ten new recovery codes of the session's person, which are never
// returned again, and voids the old ones. The session continues under the returned token.
//
// Errors: ErrNoSession, ErrTwoStepOff, ErrWrongPassword, ErrWrongCode, a LockedError.
func (s *Service) ReplaceRecoveryCodes(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.changeTwoStep(ctx, token, proof, audit.RecoveryCodesReplaced,
		func(tx transaction, in *lockedSession) (err error) {
			codes, err = replaceRecoveryCodes(tx, in.Person.ID)
			return err
		})
	return codes, session, err
}

// changeTwoStep runs apply for a person who has two-step verification on and gave a code of it.
func (s *Service) changeTwoStep(
	ctx context.Context, token string, proof Proof, action audit.Action,
	apply func(transaction, *lockedSession) error,
) (Session, error) {
	return s.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in *lockedSession, now time.Time) error {
			if in.secret == "" {
				return ErrTwoStepOff
			}
			if err := s.takeCode(tx, in, proof.Code, now); err != nil {
				return err
			}
			return s.rotate(tx, in, now, action, func() error { return apply(tx, in) })
		})
}
