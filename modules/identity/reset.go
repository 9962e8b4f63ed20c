package identity

import (
	"context"
	"time"

	"dg/platform/apperr"
)

// maxReset is how long the link of a reset works.
const maxReset = 30 * time.Minute

// ErrNoReset says that a reset's token is unknown, used, replaced or expired.
var ErrNoReset = apperr.New(apperr.NotFound,
	"This link no longer works: it works once, for 30 minutes. Ask whoever runs this service for another one.")

// Reset is a person's leave to set a new password once, without two-step verification.
type Reset struct {
	Person    Person
	Token     string // of the link: a secret
	ExpiresAt time.Time
}

// BeginReset returns a reset for the person with the e-mail, and voids an earlier one. It is for whoever runs the service:
// the database lets the owner of the tables do it alone. Errors: ErrNotFound.
func (s *Service) BeginReset(ctx context.Context, email string) (Reset, error) {
	token, err := newToken(s.random)
	if err != nil {
		return Reset{}, err
	}
	now := s.clock()
	reset := Reset{Token: token, ExpiresAt: now.Add(maxReset)}
	err = s.insertReset(ctx, EmailKey(email), &reset, now)
	return reset, err
}

// ResetPerson returns whose the reset of the token is. Errors: ErrNoReset.
func (s *Service) ResetPerson(ctx context.Context, token string) (Person, error) {
	return s.resetPerson(ctx, token, s.clock())
}

// UseReset sets a new password for the person of the reset, turns two-step verification off, voids the recovery codes and
// ends all sessions. It works once. Errors: ErrNoReset, ErrValidation with the field "new".
func (s *Service) UseReset(ctx context.Context, token, password string) error {
	if err := checkNewPassword(password); err != nil {
		return err
	}
	lease, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return err
	}
	defer lease.Release()
	whose, err := s.ResetPerson(ctx, token) // before anything is computed for whoever asks
	if err != nil {
		return err
	}
	if err := s.checkReplacement(ctx, EmailKey(whose.Email), normal(password)); err != nil {
		return err
	}
	hash, err := s.hashes.hash(ctx, normal(password), s.random)
	if err != nil {
		return err
	}
	return s.useReset(ctx, token, hash, s.clock())
}

// checkReplacement refuses what is common, the person's e-mail, and the current password.
func (s *Service) checkReplacement(ctx context.Context, emailKey, password string) error {
	if err := checkUncommon(password, emailKey); err != nil {
		return err
	}
	who, err := s.credentials(ctx, emailKey, "", s.clock())
	if err != nil || who.passwordHash == nil {
		return err
	}
	same, err := s.hashes.fits(ctx, who.passwordHash, password)
	if err == nil && same {
		return errSamePassword
	}
	return err
}
