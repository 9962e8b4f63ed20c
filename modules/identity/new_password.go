package identity

import (
	"context"

	"dg/modules/audit"
	"dg/modules/identity/password"
	"dg/platform/apperr"
)

var errSamePassword = apperr.NewField("new",
	"The new password is the current one. Use a different one.")

// ChangePassword replaces the person's password. Every other session of the person ends; this one
// continues under the returned token.
//
// Errors: ErrNoSession, ErrWrongPassword, ErrWrongCode, a LockedError, apperr.Validation with the
// field "new".
func (s *Service) ChangePassword(
	ctx context.Context, token string, proof Proof, replacement string,
) (Session, error) {
	own, err := s.signedIn(ctx, token)
	if err != nil {
		return Session{}, err
	}
	if err := s.checkNewPassword(ctx, own.User, replacement); err != nil {
		return Session{}, err
	}
	return s.reauthenticated(ctx, token, proof, func(c *change) error {
		if password.Normalise(replacement) == password.Normalise(proof.Password) {
			return errSamePassword
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		hash, err := s.passwords.Hash(ctx, replacement)
		if err != nil {
			return err
		}
		return c.rotate(audit.PasswordChanged,
			map[string]any{"password_hash": hash, "password_since": c.now})
	})
}

// checkNewPassword rejects a new password that can be guessed from the person's data.
func (s *Service) checkNewPassword(ctx context.Context, of userRow, replacement string) error {
	names, err := s.recorder.Memberships.OrganisationNamesOf(ctx, of.ID)
	if err != nil {
		return err
	}
	return password.Check(replacement, of.Email, append(names, of.Name)...)
}
