package identity

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

// The answers to setting up what is on, and to turning off or confirming what is not there.
var (
	ErrTwoStepOn  = apperr.New(apperr.Validation, "Two-step is on already. To use another app, turn it off first.")
	ErrTwoStepOff = apperr.New(apperr.Validation, "Two-step is off. Set it up first.")
)

// SecondStep gives the code of a session that is due one, which goes on under the token of the session returned. A code is
// taken once, and none before it.
//
// Errors: ErrNoSession, also after ten minutes; ErrWrongCode; a LockedError after ten of them, for a right code as well.
func (s *Service) SecondStep(ctx context.Context, token, code string) (Session, error) {
	return s.asPerson(ctx, token, true, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if err := takeCode(ctx, tx, in, code, now); err != nil {
			return err
		}
		return s.renew(ctx, tx, in, now, nil)
	})
}

// Offer is a secret to set up an authenticator app with: typed, or as the URL that a QR code holds.
type Offer struct{ Secret, URL string }

// BeginTwoStep returns the secret that the session's person may turn two-step verification on with: the same each time,
// until it is confirmed or the session ends. Errors: ErrNoSession, ErrTwoStepOn.
func (s *Service) BeginTwoStep(ctx context.Context, token string) (Offer, error) {
	secret, err := newTOTPSecret(s.random)
	if err != nil {
		return Offer{}, err
	}
	secret, email, err := s.offer(ctx, token, secret, s.clock())
	if err != nil {
		return Offer{}, err
	}
	return Offer{Secret: secret, URL: totpURL(email, secret)}, nil
}

// ConfirmTwoStep turns two-step verification on with the secret that was offered, given a code of it. Every other session
// of the person ends; this one goes on under the token of the session returned.
//
// Errors: ErrNoSession, ErrTwoStepOn, ErrTwoStepOff when nothing was offered, ErrWrongCode (not counted: who asks has seen
// the secret).
func (s *Service) ConfirmTwoStep(ctx context.Context, token, code string) (Session, error) {
	return s.asPerson(ctx, token, false, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		switch {
		case in.secret != "":
			return ErrTwoStepOn
		case in.offer == "":
			return ErrTwoStepOff
		}
		step, ok, _ := codeStep(in.offer, code, now, 0)
		if !ok {
			return ErrWrongCode
		}
		return s.renew(ctx, tx, in, now, func() error { return turnOn(ctx, tx, in, step, now) })
	})
}

// TurnOffTwoStep turns two-step verification off, given a code, which is taken as SecondStep takes it. Every other session
// of the person ends; this one goes on under the token of the session returned.
//
// Errors: ErrNoSession, ErrTwoStepOff, ErrWrongCode, a LockedError.
func (s *Service) TurnOffTwoStep(ctx context.Context, token, code string) (Session, error) {
	return s.asPerson(ctx, token, false, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if in.secret == "" {
			return ErrTwoStepOff
		}
		if err := takeCode(ctx, tx, in, code, now); err != nil {
			return err
		}
		return s.renew(ctx, tx, in, now, func() error { return turnOff(ctx, tx, in) })
	})
}

// takeCode takes a code of the person, who is locked: of many at once each sees what the one before it has left.
func takeCode(ctx context.Context, tx pgx.Tx, in *signedIn, code string, now time.Time) error {
	if in.guesses.waits(now) {
		return locked(*in.guesses.waitUntil, now)
	}
	step, ok, used := codeStep(in.secret, code, now, in.lastStep)
	switch {
	case ok:
		return saveGuesses(ctx, tx, in, step, guesses{})
	case used: // counting it would let a form that is sent many times lock its person out
		return ErrWrongCode
	}
	if err := saveGuesses(ctx, tx, in, in.lastStep, in.guesses.oneMore(now)); err != nil {
		return err
	}
	return ErrWrongCode
}
