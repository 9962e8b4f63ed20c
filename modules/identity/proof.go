package identity

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Proof is what a person gives again before a change of how they sign in, so that a stolen session changes nothing: the
// current password and, with two-step verification on, a code or a recovery code.
type Proof struct{ Password, Code string }

// confirmed does a deed for the person of a session who has given the current password. Where two-step verification is on
// the deed takes the code.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, ErrUnavailable when too many sign in at once, and those of the deed.
func (s *Service) confirmed(ctx context.Context, token string, proof Proof, do deed) (Session, error) {
	lease, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	who, err := s.confirm(ctx, token, proof.Password)
	if err != nil {
		return Session{}, err
	}
	return s.asConfirmed(ctx, token, who, do)
}

// confirm verifies the current password of the session's person, for an attempt that was admitted.
func (s *Service) confirm(ctx context.Context, token, password string) (credentials, error) {
	who, err := s.credentialsOf(ctx, token, s.clock())
	if err != nil {
		return who, err
	}
	return who, s.verify(ctx, who, sessionBudgets(who, requestOf(ctx).Address), password)
}

// asConfirmed does a deed for a person whose password was verified. It needs no second look: had it been changed since,
// the session would have ended.
func (s *Service) asConfirmed(ctx context.Context, token string, who credentials, do deed) (Session, error) {
	return s.asPerson(ctx, token, false, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if err := forgetWrong(ctx, tx, sessionBudgets(who, requestOf(ctx).Address), now); err != nil {
			return err
		}
		return do(tx, in, now)
	})
}
