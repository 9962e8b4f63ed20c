package identity

import (
	"context"

	"dg/modules/audit"
	"dg/modules/identity/twostep"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// RecoveryCodesLeft counts the unused recovery codes of the session's person. Errors: ErrNoSession.
func (s *Service) RecoveryCodesLeft(ctx context.Context, token string) (int, error) {
	own, err := s.signedIn(ctx, token)
	if err != nil {
		return 0, err
	}
	var left int64
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.countRecoveryCodes")).Model(&recoveryRow{}).
		Where("user_id = ?", own.UserID).Count(&left).Error
	return int(left), apperr.Annotate(err, "identity: count recovery codes")
}

// ReplaceRecoveryCodes voids the person's recovery codes and returns ten new ones, which are never
// returned again. The session continues under the returned token.
//
// Errors: ErrNoSession, ErrTwoStepOff, ErrWrongPassword, ErrWrongCode, a LockedError.
func (s *Service) ReplaceRecoveryCodes(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.reauthenticated(ctx, token, proof, func(c *change) (err error) {
		if c.from.User.TOTPSecret == nil {
			return ErrTwoStepOff
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		if err := c.rotate("", nil); err != nil {
			return err
		}
		codes, err = c.replaceRecoveryCodes()
		return err
	})
	return codes, session, err
}

// replaceRecoveryCodes stores ten codes. The lock of the person's row rules out a second ten.
func (c *change) replaceRecoveryCodes() ([]string, error) {
	codes := make([]string, twostep.RecoveryCodes)
	rows := make([]recoveryRow, twostep.RecoveryCodes)
	for i := range codes {
		codes[i] = twostep.NewRecoveryCode()
		code, _ := twostep.ParseRecoveryCode(codes[i])
		rows[i] = recoveryRow{
			UserID: c.from.UserID, CodeHash: twostep.HashRecoveryCode(c.from.UserID, code),
		}
	}
	_, err := deleteRows(c.tx, "identity.voidRecoveryCodes", &recoveryRow{}, "user_id = ?",
		c.from.UserID)
	if err != nil {
		return nil, err
	}
	return codes, insertRows(c.tx, "identity.addRecoveryCodes", &rows)
}

// useRecoveryCode deletes a recovery code and records its use. Errors: ErrWrongCode.
func (c *change) useRecoveryCode(code string) error {
	hash := twostep.HashRecoveryCode(c.from.UserID, code)
	used, err := deleteRows(c.tx, "identity.useRecoveryCode", &recoveryRow{},
		"user_id = ? and code_hash = ?", c.from.UserID, hash)
	switch {
	case err != nil:
		return err
	case used == 0:
		return ErrWrongCode
	}
	return c.service.recorder.record(c.tx, c.from.User.person(),
		audit.Entry{Action: audit.RecoveryCodeUsed})
}
