package identity

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/modules/identity/password"
	"dg/platform/apperr"
	"dg/platform/postgres"
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

// Resets sets new passwords by links that the operator makes.
type Resets struct{ *verifier }

// BeginReset returns a reset for the person with the e-mail and voids an earlier one. The operator
// makes it: the database lets only the owner of the tables do so. Errors: apperr.NotFound,
// apperr.Unavailable when it cannot be recorded.
func (r *Resets) BeginReset(ctx context.Context, email string) (Reset, error) {
	now := r.clock()
	reset := Reset{Token: newToken(), ExpiresAt: now.Add(resetTTL)}
	err := r.inTransaction(ctx, func(tx transaction) error {
		var of userRow
		err := tx.Scopes(postgres.Tag("identity.lockEmail")).
			Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).
			Where("email_key = ?", EmailKey(email)).Take(&of).Error
		if err != nil {
			return noRow(err, ErrNoSuchEmail, "look for a person")
		}
		reset.Person = of.person()
		if err := insertReset(tx, reset, now); err != nil {
			return err
		}
		until := reset.ExpiresAt.Format(time.RFC3339)
		return r.record(tx, reset.Person, event{
			actor: audit.TheOperator, action: audit.ResetCreated,
			details: map[string]any{"name": of.Name, "until": until},
		})
	})
	return reset, err
}

// UseReset sets a new password for the person of the reset, turns two-step verification off, voids
// the recovery codes and ends all sessions. It works once. The browser's session, which may be
// another person's, ends with it; "" is none.
// Errors: ErrNoReset, apperr.Validation with the field "new".
func (r *Resets) UseReset(ctx context.Context, token, replacement, session string) error {
	if err := password.CheckForm(replacement); err != nil {
		return err
	}
	ctx, lease, err := r.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return err
	}
	defer lease.Release()
	// first: without a reset nothing is hashed
	whose, err := resetCredentials(r.gorm(ctx), token, r.clock())
	if err != nil {
		return err
	}
	if err := r.checkNewPassword(ctx, whose, replacement); err != nil {
		return err
	}
	hash, err := r.passwords.Hash(ctx, replacement)
	if err != nil {
		return err
	}
	return r.useReset(ctx, token, hash, session, r.clock())
}

// checkNewPassword refuses a password that can be guessed, or is the current one.
func (r *Resets) checkNewPassword(ctx context.Context, of credentials, replacement string) error {
	err := r.checkGuessable(ctx, of.Person, replacement)
	if err != nil || of.passwordHash == nil {
		return err
	}
	same, err := r.passwords.Matches(ctx, of.passwordHash, replacement)
	if err == nil && same {
		return errSamePassword
	}
	return err
}
