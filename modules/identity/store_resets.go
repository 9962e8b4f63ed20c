package identity

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// BeginReset returns a reset for the person with the e-mail and voids an earlier one. It needs the
// rights of the tables' owner. Errors: apperr.NotFound, apperr.Unavailable when it cannot be
// recorded.
func (s *Service) BeginReset(ctx context.Context, email string) (Reset, error) {
	now := s.clock()
	reset := Reset{Token: newToken(), ExpiresAt: now.Add(resetTTL)}
	err := s.inTransaction(ctx, func(tx transaction) error {
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
		return s.record(tx, reset.Person, event{
			actor: audit.TheOperator, action: audit.ResetCreated,
			details: map[string]any{"name": of.Name, "until": until},
		})
	})
	return reset, err
}

// insertReset removes expired resets, and replaces the person's.
func insertReset(tx transaction, reset Reset, now time.Time) error {
	if err := tx.Scopes(postgres.Tag("identity.sweepResets")).Where("expires_at <= ?", now).
		Delete(&resetRow{}).Error; err != nil {
		return fmt.Errorf("identity: sweep resets: %w", err)
	}
	row := resetRow{
		UserID: reset.Person.ID, TokenHash: hashToken(reset.Token), ExpiresAt: reset.ExpiresAt,
	}
	err := tx.Scopes(postgres.Tag("identity.insertReset")).
		Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	return apperr.Annotate(err, "identity: insert a reset")
}

// ResetPerson returns the person of the token's reset. Errors: ErrNoReset.
func (s *Service) ResetPerson(ctx context.Context, token string) (Person, error) {
	whose, err := resetCredentials(s.gorm(ctx), token, s.clock())
	return whose.Person, err
}

func resetCredentials(db *gorm.DB, token string, now time.Time) (credentials, error) {
	var row resetRow
	err := db.Scopes(postgres.Tag("identity.resetCredentials")).InnerJoins("User").
		Where("token_hash = ? and expires_at > ?", hashToken(token), now).Take(&row).Error
	return row.User.credentials(), noRow(err, ErrNoReset, "look for a reset")
}

// useReset locks the person's row before it deletes the reset, so that one of several concurrent
// uses finds it. Triggers end the sessions and void the recovery codes.
func (s *Service) useReset(ctx context.Context, token, hash, session string, now time.Time) error {
	return s.inTransaction(ctx, func(tx transaction) error {
		whose, err := resetCredentials(tx.Clauses(lockUser), token, now)
		if err != nil {
			return err
		}
		used := tx.Scopes(postgres.Tag("identity.useReset")).
			Where("token_hash = ?", hashToken(token)).Delete(&resetRow{})
		if used.Error != nil {
			return fmt.Errorf("identity: use a reset: %w", used.Error)
		}
		if used.RowsAffected == 0 {
			return ErrNoReset
		}
		err = update(tx, "reset", whose.ID, map[string]any{
			"password_hash":    hash,
			"password_since":   now,
			"totp_secret":      nil,
			"totp_since":       nil,
			"totp_last_step":   nil,
			"wrong_codes":      0,
			"code_waits":       0,
			"codes_wait_until": nil,
		})
		if err != nil {
			return err
		}
		if err := s.record(tx, whose.Person, event{action: audit.PasswordReset}); err != nil ||
			session == "" {
			return err
		}
		return signOutIn(tx, session) // another person's: triggers have ended this person's
	})
}
