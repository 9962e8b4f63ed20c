package identity

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// reauthenticationTTL is how long a password counts as just entered.
const reauthenticationTTL = 15 * time.Minute

// ErrPasswordDue says that the password was not entered for 15 minutes.
var ErrPasswordDue = apperr.NewField("current", "Enter your password again.")

// Reauthenticate returns nil if the session's person entered the password, and the code with two-step
// verification on, within the last 15 minutes, or gives both now. Signing in counts as entering them.
// A proof that is not needed is not looked at.
//
// Errors: ErrNoSession, ErrPasswordDue for a proof without a password, ErrWrongPassword, ErrWrongCode,
// a LockedError, apperr.Unavailable when too many people sign in at once.
func (s *Service) Reauthenticate(ctx context.Context, token string, proof Proof) error {
	recently, err := s.authenticatedRecently(ctx, token, s.clock())
	switch {
	case err != nil || recently:
		return err
	case proof.Password == "":
		return ErrPasswordDue
	}
	mark := func(tx transaction, in *lockedSession, now time.Time) error {
		if in.secret != "" {
			if err := s.takeCode(tx, in, proof.Code, now); err != nil {
				return err
			}
		}
		if err := markAuthenticated(tx, in); err != nil {
			return err
		}
		return s.recordRecoveryCode(tx, in)
	}
	_, err = s.reauthenticated(ctx, token, proof, nil, mark)
	return err
}

// authenticatedRecently compares with the database's clock, which wrote the instant.
func (s *Service) authenticatedRecently(
	ctx context.Context, token string, now time.Time,
) (recently bool, err error) {
	const compared = "coalesce(authenticated_at > now() - make_interval(secs => ?), false)"
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.authenticatedRecently")).Model(&sessionRow{}).
		Select(compared, reauthenticationTTL.Seconds()).
		Where("token_hash = ? and expires_at > ? and not second_step_due", hashToken(token), now).
		Take(&recently).Error
	return recently, noRow(err, ErrNoSession, "authenticated recently")
}

func markAuthenticated(tx transaction, in *lockedSession) error {
	marked := tx.Scopes(postgres.Tag("identity.markAuthenticated")).Model(&sessionRow{}).
		Where("token_hash = ?", hashToken(in.Token)).Update("authenticated_at", gorm.Expr("now()"))
	if marked.Error != nil {
		return fmt.Errorf("identity: mark a session as authenticated: %w", marked.Error)
	}
	if marked.RowsAffected == 0 {
		return ErrNoSession
	}
	return nil
}
