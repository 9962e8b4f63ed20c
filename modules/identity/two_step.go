package identity

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/modules/identity/twostep"
	"dg/platform/apperr"
)

// The errors of a change that two-step verification, being on or off, does not allow.
var (
	ErrTwoStepOn = apperr.New(apperr.Validation,
		"Two-step verification is already on. To use another app, turn it off first.")
	ErrTwoStepOff = apperr.New(apperr.Validation, "Two-step verification is off. Set it up first.")
)

// Enrolment is the secret for an authenticator app, also as the URL of a QR code.
type Enrolment struct{ Secret, URL string }

// BeginTwoStep offers the session's person a secret to turn two-step verification on with. It is the
// same until it is confirmed or the session ends. Errors: ErrNoSession, ErrTwoStepOn.
func (s *Service) BeginTwoStep(ctx context.Context, token string) (Enrolment, error) {
	now := s.clock()
	own, err := s.session(ctx, token, now)
	if err != nil {
		return Enrolment{}, err
	}
	stored, err := s.offerSecret(ctx, token, s.keys.encrypt(own.UserID, twostep.NewSecret()), now)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := s.keys.open(own.UserID, stored)
	if err != nil {
		return Enrolment{}, err
	}
	return Enrolment{Secret: secret, URL: twostep.URL(own.User.Email, secret)}, nil
}

// ConfirmTwoStep turns two-step verification on with the offered secret. The proof has a code of it.
// It returns ten recovery codes, which are never returned again. Every other session of the person
// ends; this one continues under the returned token.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, ErrTwoStepOn, ErrTwoStepOff when no secret
// was offered, ErrWrongCode (not counted: the client has seen the secret).
func (s *Service) ConfirmTwoStep(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in lockedSession, now time.Time) (Session, error) {
			switch {
			case in.secret != "":
				return Session{}, ErrTwoStepOn
			case in.offeredSecret == "":
				return Session{}, ErrTwoStepOff
			}
			secret, err := s.keys.open(in.Person.ID, in.offeredSecret)
			if err != nil {
				return Session{}, err
			}
			step, ok, _ := twostep.Match(secret, proof.Code, now, 0)
			if !ok {
				return Session{}, ErrWrongCode
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

// TurnOffTwoStep turns two-step verification off and voids the recovery codes. Every other session
// of the person ends; this one continues under the returned token.
//
// Errors: ErrNoSession, ErrWrongPassword, ErrTwoStepOff, ErrWrongCode, a LockedError.
func (s *Service) TurnOffTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.changeTwoStep(ctx, token, proof, audit.TwoStepTurnedOff, turnOffTwoStep)
}

// ReplaceRecoveryCodes voids the person's recovery codes and returns ten new ones, which are never
// returned again. The session continues under the returned token.
//
// Errors: ErrNoSession, ErrTwoStepOff, ErrWrongPassword, ErrWrongCode, a LockedError.
func (s *Service) ReplaceRecoveryCodes(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.changeTwoStep(ctx, token, proof, "",
		func(tx transaction, in lockedSession) (err error) {
			codes, err = replaceRecoveryCodes(tx, in.Person.ID)
			return err
		})
	return codes, session, err
}

// changeTwoStep runs apply for a person who has two-step verification on and gave a code of it.
func (s *Service) changeTwoStep(
	ctx context.Context, token string, proof Proof, action audit.Action,
	apply func(transaction, lockedSession) error,
) (Session, error) {
	return s.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in lockedSession, now time.Time) (Session, error) {
			if in.secret == "" {
				return Session{}, ErrTwoStepOff
			}
			if err := s.takeCode(tx, in, proof.Code, now); err != nil {
				return Session{}, err
			}
			return s.rotate(tx, in, now, action, func() error { return apply(tx, in) })
		})
}
