package identity

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/modules/identity/throttle"
	"dg/modules/identity/twostep"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// offerSecret stores the encrypted secret with the session unless it has one, and returns the stored
// secret. With a key it replaces an offer in clear.
func (s *Service) offerSecret(
	ctx context.Context, token, encrypted string, now time.Time,
) (stored string, err error) {
	db := s.gorm(ctx)
	kept := "%"
	if s.keys.Encrypts() {
		kept = encryptedPrefix + "%"
	}
	twoStep := db.Model(&userRow{}).Select("1").
		Where("users.id = sessions.user_id and totp_secret is not null")
	var row sessionRow
	offered := db.Scopes(postgres.Tag("identity.offerSecret")).Model(&row).
		Clauses(clause.Returning{Columns: []clause.Column{{Name: "totp_offer"}}}).
		Where("token_hash = ? and expires_at > ? and not exists (?)", hashToken(token), now,
			twoStep).
		Update("totp_offer",
			gorm.Expr("case when totp_offer like ? then totp_offer else ? end", kept, encrypted))
	if offered.Error != nil {
		return "", fmt.Errorf("identity: offer a secret: %w", offered.Error)
	}
	if offered.RowsAffected == 0 {
		if _, err := s.session(ctx, token, now); err != nil {
			return "", err
		}
		return "", ErrTwoStepOn
	}
	return *row.TOTPOffer, nil
}

// turnOnTwoStep resets wrong codes, which belong to another secret. step is that of the confirming
// code, which is used.
func turnOnTwoStep(
	tx transaction, in lockedSession, encrypted string, step int64, now time.Time,
) error {
	return update(tx, "turnOnTwoStep", in.Person.ID, map[string]any{
		"totp_secret":      encrypted,
		"totp_since":       now,
		"totp_last_step":   step,
		"wrong_codes":      0,
		"code_waits":       0,
		"codes_wait_until": nil,
	})
}

func turnOffTwoStep(tx transaction, in lockedSession) error {
	return update(tx, "turnOffTwoStep", in.Person.ID, map[string]any{
		"totp_secret":    nil,
		"totp_since":     nil,
		"totp_last_step": nil,
	})
}

func saveCodeAttempts(tx transaction, in lockedSession, lastStep int64, a throttle.Codes) error {
	return update(tx, "saveCodeAttempts", in.Person.ID, map[string]any{
		"totp_last_step":   lastStep,
		"wrong_codes":      a.Wrong,
		"code_waits":       a.Locks,
		"codes_wait_until": a.LockedUntil,
	})
}

// replaceRecoveryCodes needs the lock of the person's row, so that there are never more than ten.
func replaceRecoveryCodes(tx transaction, personID string) ([]string, error) {
	codes := make([]string, twostep.RecoveryCodes)
	rows := make([]recoveryRow, twostep.RecoveryCodes)
	for i := range codes {
		codes[i] = twostep.NewRecoveryCode()
		code, _ := twostep.ParseRecoveryCode(codes[i])
		rows[i] = recoveryRow{UserID: personID, CodeHash: twostep.HashRecoveryCode(personID, code)}
	}
	if err := tx.Scopes(postgres.Tag("identity.voidRecoveryCodes")).Where("user_id = ?", personID).
		Delete(&recoveryRow{}).Error; err != nil {
		return nil, fmt.Errorf("identity: void recovery codes: %w", err)
	}
	if err := tx.Scopes(postgres.Tag("identity.addRecoveryCodes")).Create(&rows).Error; err != nil {
		return nil, fmt.Errorf("identity: add recovery codes: %w", err)
	}
	return codes, nil
}

// useRecoveryCode deletes the code and reports whether it was the person's, which it records. It
// needs the lock of the person's row.
func (s *Service) useRecoveryCode(tx transaction, of Person, code string) (bool, error) {
	used := tx.Scopes(postgres.Tag("identity.useRecoveryCode")).
		Where("user_id = ? and code_hash = ?", of.ID, twostep.HashRecoveryCode(of.ID, code)).
		Delete(&recoveryRow{})
	if used.Error != nil {
		return false, fmt.Errorf("identity: use a recovery code: %w", used.Error)
	}
	if used.RowsAffected == 0 {
		return false, nil
	}
	return true, s.record(tx, of, event{action: audit.RecoveryCodeUsed})
}

// RecoveryCodesLeft counts the unused recovery codes of the session's person. Errors: ErrNoSession.
func (s *Service) RecoveryCodesLeft(ctx context.Context, token string) (int, error) {
	own, err := s.signedIn(ctx, token, s.clock())
	if err != nil {
		return 0, err
	}
	var left int64
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.countRecoveryCodes")).Model(&recoveryRow{}).
		Where("user_id = ?", own.UserID).Count(&left).Error
	return int(left), apperr.Annotate(err, "identity: count recovery codes")
}
