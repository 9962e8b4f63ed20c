package identity

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"strings"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Recovery codes have 80 random bits, so a fast hash, SHA-256, suffices to store them.
const (
	recoveryCodeCount  = 10 // of a person
	recoveryCodeLength = 16
	// Crockford's base32, without i, l, o and u
	recoveryAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

var recoveryEncoding = base32.NewEncoding(recoveryAlphabet)

func newRecoveryCode() string {
	var b [recoveryCodeLength * 5 / 8]byte
	_, _ = rand.Read(b[:]) // never fails
	c := recoveryEncoding.EncodeToString(b[:])
	return strings.Join([]string{c[:4], c[4:8], c[8:12], c[12:]}, "-")
}

var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// parseRecoveryCode returns the code as it is hashed: lower case, digits for o, i and l, no dashes.
func parseRecoveryCode(text string) (code string, ok bool) {
	if len(text) > 4*recoveryCodeLength {
		return "", false
	}
	code = lookalikes.Replace(strings.ToLower(normaliseCode(text)))
	return code, len(code) == recoveryCodeLength && strings.Trim(code, recoveryAlphabet) == ""
}

// RecoveryCodesLeft counts the unused recovery codes of the session's person. Errors: ErrNoSession.
func (s *Service) RecoveryCodesLeft(ctx context.Context, token string) (int, error) {
	own, err := s.signedInSession(ctx, token)
	if err != nil {
		return 0, err
	}
	var left int64
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.countRecoveryCodes")).Model(&recoveryRow{}).
		Where("user_id = ?", own.UserID).Count(&left).Error
	return int(left), apperr.Annotate(err, "identity: count recovery codes")
}

// ReplaceRecoveryCodes voids the person's recovery codes and returns ten new ones, which are never
// returned again. The session continues under the returned token. Errors: ErrTwoStepOff,
// ErrWrongCode, those of withPassword.
func (s *Service) ReplaceRecoveryCodes(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.withPassword(ctx, token, proof, func(c *change) (err error) {
		if c.from.User.TOTPSecret == nil {
			return ErrTwoStepOff
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		if err := c.rotate("", nil); err != nil {
			return err
		}
		codes, err = c.issueRecoveryCodes()
		return err
	})
	return codes, session, err
}

// issueRecoveryCodes relies on the person's lock: concurrent requests would store ten codes each.
func (c *change) issueRecoveryCodes() ([]string, error) {
	codes := make([]string, recoveryCodeCount)
	rows := make([]recoveryRow, recoveryCodeCount)
	for i := range codes {
		codes[i] = newRecoveryCode()
		code, _ := parseRecoveryCode(codes[i]) // newRecoveryCode returns a valid code
		rows[i] = recoveryRow{
			UserID: c.from.UserID, CodeHash: hashText(c.from.UserID + " " + code),
		}
	}
	_, err := deleteRows(c.tx, "identity.voidRecoveryCodes", &recoveryRow{}, "user_id = ?",
		c.from.UserID)
	if err != nil {
		return nil, err
	}
	return codes, insertRows(c.tx, "identity.addRecoveryCodes", &rows)
}

func (c *change) useRecoveryCode(code string) error {
	hash := hashText(c.from.UserID + " " + code)
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
