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

// TwoStep turns two-step verification on and off.
type TwoStep struct{ *changer }

// Enrolment is the secret for an authenticator app, also as the URL of a QR code.
type Enrolment struct{ Secret, URL string }

// BeginTwoStep offers the session's person a secret to turn two-step verification on with. It is the
// same until it is confirmed or the session ends. Errors: ErrNoSession, ErrTwoStepOn.
func (t *TwoStep) BeginTwoStep(ctx context.Context, token string) (Enrolment, error) {
	now := t.clock()
	own, err := t.session(ctx, token, now)
	if err != nil {
		return Enrolment{}, err
	}
	stored, err := t.offerSecret(ctx, token, t.keys.encrypt(own.UserID, twostep.NewSecret()), now)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := t.keys.open(own.UserID, stored)
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
func (t *TwoStep) ConfirmTwoStep(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = t.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in *lockedSession, now time.Time) error {
			switch {
			case in.secret != "":
				return ErrTwoStepOn
			case in.offeredSecret == "":
				return ErrTwoStepOff
			}
			secret, err := t.keys.open(in.Person.ID, in.offeredSecret)
			if err != nil {
				return err
			}
			step, ok, _ := twostep.Match(secret, proof.Code, now, 0)
			if !ok {
				return ErrWrongCode
			}
			return t.rotate(tx, in, now, audit.TwoStepTurnedOn, func() (err error) {
				if err := turnOnTwoStep(tx, in, t.keys.encrypt(in.Person.ID, secret), step,
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
func (t *TwoStep) TurnOffTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return t.changeTwoStep(ctx, token, proof, audit.TwoStepTurnedOff, turnOffTwoStep)
}

// ReplaceRecoveryCodes voids the person's recovery codes and returns ten new ones, which are never
// returned again. The session continues under the returned token.
//
// Errors: ErrNoSession, ErrTwoStepOff, ErrWrongPassword, ErrWrongCode, a LockedError.
func (t *TwoStep) ReplaceRecoveryCodes(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = t.changeTwoStep(ctx, token, proof, "",
		func(tx transaction, in *lockedSession) (err error) {
			codes, err = replaceRecoveryCodes(tx, in.Person.ID)
			return err
		})
	return codes, session, err
}

// changeTwoStep runs apply for a person who has two-step verification on and gave a code of it.
func (t *TwoStep) changeTwoStep(
	ctx context.Context, token string, proof Proof, action audit.Action,
	apply func(transaction, *lockedSession) error,
) (Session, error) {
	return t.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in *lockedSession, now time.Time) error {
			if in.secret == "" {
				return ErrTwoStepOff
			}
			if err := t.takeCode(tx, in, proof.Code, now); err != nil {
				return err
			}
			return t.rotate(tx, in, now, action, func() error { return apply(tx, in) })
		})
}
