package identity

import (
	"context"
	"time"

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
	hash := ""
	prepare := func(who credentials) (err error) {
		if password.Normalise(replacement) == password.Normalise(proof.Password) {
			return errSamePassword
		}
		if err := s.checkGuessable(ctx, who.Person, replacement); err != nil {
			return err
		}
		hash, err = s.passwords.Hash(ctx, replacement)
		return err
	}
	return s.reauthenticated(ctx, token, proof, prepare,
		func(tx transaction, in lockedSession, now time.Time) (Session, error) {
			if in.secret != "" {
				if err := s.takeCode(tx, in, proof.Code, now); err != nil {
					return Session{}, err
				}
			}
			return s.rotate(tx, in, now, audit.PasswordChanged, func() error {
				return update(tx, "replacePassword", in.Person.ID,
					map[string]any{"password_hash": hash, "password_since": now})
			})
		})
}

// checkGuessable refuses a password that is common, the person's e-mail, or made of the person's or
// an organisation's name.
func (s *Service) checkGuessable(ctx context.Context, of Person, replacement string) error {
	names, err := s.auditor.Memberships.OrganisationNamesOf(ctx, of.ID)
	if err != nil {
		return err
	}
	return password.CheckUncommon(replacement, of.Email, append(names, of.Name)...)
}
