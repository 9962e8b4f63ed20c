package identity

import (
	"context"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// The bounds of a new password. There are no rules on what it is made of.
const (
	minPassword = 12   // code points
	maxPassword = 1000 // bytes
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
	if err := checkPasswordForm(replacement); err != nil {
		return Session{}, err
	}
	password := normalise(replacement)
	hash := ""
	prepare := func(who credentials) (err error) {
		if password == normalise(proof.Password) {
			return errSamePassword
		}
		if err := s.checkGuessable(ctx, who.Person, password); err != nil {
			return err
		}
		hash, err = s.passwords.hash(ctx, password)
		return err
	}
	return s.reauthenticated(ctx, token, proof, prepare,
		func(tx transaction, in *lockedSession, now time.Time) error {
			if in.secret != "" {
				if err := s.takeCode(tx, in, proof.Code, now); err != nil {
					return err
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
func (s *Service) checkGuessable(ctx context.Context, of Person, password string) error {
	names, err := s.auditor.Memberships.OrganisationNamesOf(ctx, of.ID)
	if err != nil {
		return err
	}
	return checkUncommon(password, of.Email, append(names, of.Name)...)
}

func checkPasswordForm(password string) error {
	switch p := normalise(password); {
	case !utf8.ValidString(p):
		return apperr.NewField("new",
			"The new password contains invalid characters. Use a different one.")
	case utf8.RuneCountInString(p) < minPassword:
		return apperr.NewField("new", "The new password is too short. Use at least %d characters.",
			minPassword)
	case len(password) > maxPassword:
		return apperr.NewField("new", "The new password is too long. Use at most %d bytes.",
			maxPassword)
	}
	return nil
}

// normalise returns a password as it is hashed, so that it is the same from every keyboard.
func normalise(password string) string { return norm.NFC.String(password) }
