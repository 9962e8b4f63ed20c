package identity

import (
	"context"
	"time"

	"dg/modules/identity/password"
	"dg/platform/apperr"
)

// resetTTL is how long the link of a reset works.
const resetTTL = 30 * time.Minute

// ErrNoReset says that a reset's token is unknown, used, replaced or expired.
var ErrNoReset = apperr.New(apperr.NotFound,
	"This link no longer works: it works once, for 30 minutes. Ask the operator of this service for a new one.")

// Reset lets a person set a new password once, without two-step verification.
type Reset struct {
	Person    Person
	Token     string // of the link: a secret
	ExpiresAt time.Time
}

// UseReset sets a new password for the reset's person, once. It turns two-step verification off,
// voids the recovery codes and ends all sessions of the person, and the given session of the
// browser, which may be another person's; "" is none.
// Errors: ErrNoReset, apperr.Validation with the field "new".
func (s *Service) UseReset(ctx context.Context, token, replacement, session string) error {
	if err := password.CheckForm(replacement); err != nil {
		return err
	}
	release, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return err
	}
	defer release()
	// before hashing, so that an unknown token costs no hash
	whose, err := resetCredentials(s.gorm(ctx), token, s.clock())
	if err != nil {
		return err
	}
	if err := s.checkNewPassword(ctx, whose, replacement); err != nil {
		return err
	}
	hash, err := s.passwords.Hash(ctx, replacement)
	if err != nil {
		return err
	}
	return s.useReset(ctx, token, hash, session, s.clock())
}

// checkNewPassword refuses a password that can be guessed, or is the current one.
func (s *Service) checkNewPassword(ctx context.Context, of credentials, replacement string) error {
	err := s.checkGuessable(ctx, of.Person, replacement)
	if err != nil || of.passwordHash == nil {
		return err
	}
	same, err := s.passwords.Matches(ctx, of.passwordHash, replacement)
	if err == nil && same {
		return errSamePassword
	}
	return err
}
