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

// SecondStep gives the code, or a recovery code, of a session that is due one, which goes on under the token of the session
// returned. A code is taken once, and none before it; a recovery code once.
//
// Errors: ErrNoSession, also after ten minutes; ErrWrongCode; a LockedError after ten of them, for a right code as well; ErrUnavailable
// when too many sign in at once.
func (s *Service) SecondStep(ctx context.Context, token, code string) (Session, error) {
	lease, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	return s.asPerson(ctx, token, true, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if err := s.takeCode(ctx, tx, in, code, now); err != nil {
			return err
		}
		if err := s.renew(ctx, tx, in, now, "", nil); err != nil {
			return err
		}
		return s.recordSignIn(ctx, tx, in.Person)
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
	now := s.clock()
	own, _, err := s.session(ctx, token, now)
	if err != nil {
		return Offer{}, err
	}
	offered, err := s.offer(ctx, token, s.keys.seal(own.Person.ID, secret), now)
	if err != nil {
		return Offer{}, err
	}
	if secret, err = s.keys.open(own.Person.ID, offered); err != nil {
		return Offer{}, err
	}
	return Offer{Secret: secret, URL: totpURL(own.Person.Email, secret)}, nil
}

// ConfirmTwoStep turns two-step verification on with the secret that was offered, given the current password and a code of
// the secret, and returns ten recovery codes, which are never returned again. Every other session of the person ends; this
// one goes on under the token of the session returned.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, ErrTwoStepOn, ErrTwoStepOff when nothing was offered, ErrWrongCode
// (not counted: who asks has seen the secret).
func (s *Service) ConfirmTwoStep(ctx context.Context, token string, proof Proof) (codes []string, session Session, err error) {
	session, err = s.confirmed(ctx, token, proof, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		switch {
		case in.secret != "":
			return ErrTwoStepOn
		case in.offer == "":
			return ErrTwoStepOff
		}
		secret, err := s.keys.open(in.Person.ID, in.offer)
		if err != nil {
			return err
		}
		step, ok, _ := codeStep(secret, proof.Code, now, 0)
		if !ok {
			return ErrWrongCode
		}
		return s.renew(ctx, tx, in, now, TwoStepTurnedOn, func() (err error) {
			if err := turnOn(ctx, tx, in, s.keys.seal(in.Person.ID, secret), step, now); err != nil {
				return err
			}
			codes, err = s.replaceRecoveryCodes(ctx, tx, in)
			return err
		})
	})
	return codes, session, err
}

// TurnOffTwoStep turns two-step verification off, given the current password and a code, which is taken as SecondStep takes
// it, and voids the recovery codes. Every other session of the person ends; this one goes on under the token of the session
// returned.
//
// Errors: ErrNoSession, ErrWrongPassword, ErrTwoStepOff, ErrWrongCode, a LockedError.
func (s *Service) TurnOffTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.confirmed(ctx, token, proof, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if in.secret == "" {
			return ErrTwoStepOff
		}
		if err := s.takeCode(ctx, tx, in, proof.Code, now); err != nil {
			return err
		}
		return s.renew(ctx, tx, in, now, TwoStepTurnedOff, func() error { return turnOff(ctx, tx, in) })
	})
}

// takeCode takes a code or a recovery code of the person, who is locked: of many at once each sees what the one before it
// has left.
func (s *Service) takeCode(ctx context.Context, tx pgx.Tx, in *signedIn, code string, now time.Time) error {
	if err := codeWait(ctx, tx, in, now); err != nil {
		return err
	}
	step, ok, used, err := s.matchCode(ctx, tx, in, code, now)
	switch {
	case err != nil:
		return err
	case ok && in.client.known != nil: // what others guess at the person is not ended by it
		return saveGuesses(ctx, tx, in, step, in.guesses)
	case ok:
		return saveGuesses(ctx, tx, in, step, guesses{})
	case used: // counting it would let a form that is sent many times lock its person out
		return ErrWrongCode
	}
	if err := countCode(ctx, tx, in, now); err != nil {
		return err
	}
	return ErrWrongCode
}

// codeWait returns a LockedError while no code is compared: the person's wait or, in a known browser, the browser's own.
func codeWait(ctx context.Context, tx pgx.Tx, in *signedIn, now time.Time) error {
	if in.client.known != nil {
		return waitOf(ctx, tx, []budget{codeBudget(in.client.known)}, now)
	}
	if in.guesses.waiting(now) {
		return locked(*in.guesses.waitUntil, now)
	}
	return nil
}

// countCode counts a wrong code where codeWait looks.
func countCode(ctx context.Context, tx pgx.Tx, in *signedIn, now time.Time) error {
	if in.client.known != nil {
		b := codeBudget(in.client.known)
		taken, ok, err := count(ctx, tx, b, now)
		if ok && taken == b.limit {
			until := now.Add(b.window)
			in.ended = &until
		}
		return err
	}
	after := in.guesses.oneMore(now)
	in.ended = after.waitUntil
	return saveGuesses(ctx, tx, in, in.lastStep, after)
}

// matchCode returns what codeStep does. A recovery code leaves the step as it is, and is gone.
func (s *Service) matchCode(ctx context.Context, tx pgx.Tx, in *signedIn, code string, now time.Time) (step int64, ok, used bool, err error) {
	if recovery, is := parseRecoveryCode(code); is {
		ok, err = useRecoveryCode(ctx, tx, in.Person.ID, recovery)
		in.recovery = ok
		return in.lastStep, ok, false, err
	}
	secret, err := s.keys.open(in.Person.ID, in.secret)
	if err != nil {
		return 0, false, false, err
	}
	step, ok, used = codeStep(secret, code, now, in.lastStep)
	return step, ok, used, nil
}
