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
	if err := password.CheckForm(replacement); err != nil {
		return Session{}, err
	}
	release, err := s.admit(ctx)
	if err != nil {
		return Session{}, err
	}
	defer release()
	who, limits, err := s.verifySession(ctx, token, proof)
	if err != nil {
		return Session{}, err
	}
	hash, err := s.hashNew(ctx, who, replacement)
	if err != nil {
		return Session{}, err
	}
	return s.verifiedChange(ctx, token, limits, func(c *change) error {
		if err := c.takeCodeIfOn(proof.Code); err != nil {
			return err
		}
		return c.rotate(audit.PasswordChanged,
			map[string]any{"password_hash": hash, "password_since": c.now})
	})
}

// hashNew returns the hash of a new password. It refuses one that is the current one, common, the
// person's e-mail, or made of the person's or an organisation's name.
func (s *Service) hashNew(
	ctx context.Context, of userRow, replacement string,
) (hash string, err error) {
	names, err := s.recorder.Memberships.OrganisationNamesOf(ctx, of.ID)
	if err != nil {
		return "", err
	}
	if err := password.CheckUncommon(replacement, of.Email, append(names, of.Name)...); err != nil {
		return "", err
	}
	if of.PasswordHash != nil {
		same, err := s.passwords.Matches(ctx, of.PasswordHash, replacement)
		if err != nil {
			return "", err
		}
		if same {
			return "", errSamePassword
		}
	}
	return s.passwords.Hash(ctx, replacement)
}
