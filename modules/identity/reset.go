package identity

import (
	"context"
	"time"

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

// BeginReset returns a reset for the person with the e-mail and voids an earlier one. The operator
// makes it: the database lets only the owner of the tables do so. Errors: apperr.NotFound,
// apperr.Unavailable when it cannot be recorded.
func (s *Service) BeginReset(ctx context.Context, email string) (Reset, error) {
	now := s.clock()
	reset := Reset{Token: newToken(), ExpiresAt: now.Add(resetTTL)}
	err := s.insertReset(ctx, EmailKey(email), &reset, now)
	return reset, err
}

// UseReset sets a new password for the person of the reset, turns two-step verification off, voids
// the recovery codes and ends all sessions. It works once. The browser's session, which may be
// another person's, ends with it; "" is none.
// Errors: ErrNoReset, apperr.Validation with the field "new".
func (s *Service) UseReset(ctx context.Context, token, password, session string) error {
	if err := checkPasswordForm(password); err != nil {
		return err
	}
	ctx, lease, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return err
	}
	defer lease.Release()
	// first: without a reset nothing is hashed
	whose, err := resetCredentials(s.gorm(ctx), token, s.clock())
	if err != nil {
		return err
	}
	password = normalise(password)
	if err := s.checkNewPassword(ctx, whose, password); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.useReset(ctx, token, hash, session, s.clock())
}

// checkNewPassword refuses a password that can be guessed, or is the current one.
func (s *Service) checkNewPassword(ctx context.Context, of credentials, password string) error {
	if err := s.checkGuessable(ctx, of.Person, password); err != nil || of.passwordHash == nil {
		return err
	}
	same, err := s.passwords.matches(ctx, of.passwordHash, password)
	if err == nil && same {
		return errSamePassword
	}
	return err
}
