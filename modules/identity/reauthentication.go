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

// Reauthenticate returns nil if the session's person entered the password (and the code, with
// two-step verification on) within the last 15 minutes, or else if the proof is right. Signing in
// counts as entering them, from the password on.
//
// Errors: ErrNoSession, ErrPasswordDue for a proof without a password, ErrWrongPassword,
// ErrWrongCode, a LockedError, apperr.Unavailable when too many people sign in at once.
func (s *Service) Reauthenticate(ctx context.Context, token string, proof Proof) error {
	recently, err := authenticatedRecently(s.gorm(ctx), token, s.clock())
	switch {
	case err != nil || recently:
		return err
	case proof.Password == "":
		return ErrPasswordDue
	}
	_, err = s.reauthenticated(ctx, token, proof, nil,
		func(tx transaction, in lockedSession, now time.Time) (Session, error) {
			// A form that is sent twice has one code: the first request has marked the session.
			recently, err := authenticatedRecently(tx, token, now)
			if err != nil || recently {
				return in.Session, err
			}
			if in.secret != "" {
				if err := s.takeCode(tx, in, proof.Code, now); err != nil {
					return Session{}, err
				}
			}
			return in.Session, markAuthenticated(tx, in)
		})
	return err
}
