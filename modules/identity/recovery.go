package identity

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Recovery codes have 80 random bits, for which a fast hash suffices.
const (
	recoveryCodeCount  = 10
	recoveryCodeLength = 16
	recoveryAlphabet   = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base32
)

var recoveryEncoding = base32.NewEncoding(recoveryAlphabet)

func newRecoveryCode() string {
	var b [recoveryCodeLength * 5 / 8]byte
	_, _ = rand.Read(b[:]) // never fails
	c := recoveryEncoding.EncodeToString(b[:])
	return strings.Join([]string{c[:4], c[4:8], c[8:12], c[12:]}, "-")
}

var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// parseRecoveryCode returns the form that is hashed: lower case, no dashes, digits for o, i and l.
func parseRecoveryCode(text string) (code string, ok bool) {
	if len(text) > 4*recoveryCodeLength {
		return "", false
	}
	code = lookalikes.Replace(strings.ToLower(normaliseCode(text)))
	return code, len(code) == recoveryCodeLength && strings.Trim(code, recoveryAlphabet) == ""
}

// RecoveryCodesLeft counts the unused recovery codes of the session's person. Errors: ErrNoSession.
func (s *Service) RecoveryCodesLeft(ctx context.Context, token string) (int, error) {
	row, err := s.signedInSession(ctx, token)
	if err != nil {
		return 0, err
	}
	var unused int64
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.countRecoveryCodes")).Model(&recoveryRow{}).
		Where("user_id = ?", row.UserID).Count(&unused).Error
	return int(unused), apperr.Annotate(err, "identity: count recovery codes")
}

// ReplaceRecoveryCodes voids the person's recovery codes and returns ten new codes, which are never
// returned again. The session continues under a new token. Errors: ErrTwoStepOff, ErrWrongCode,
// those of withPassword.
func (s *Service) ReplaceRecoveryCodes(
	ctx context.Context, token string, proof Proof,
) (codes []string, session Session, err error) {
	session, err = s.withPassword(ctx, token, proof, func(c *change) (err error) {
		if c.session.User.TOTPSecret == nil {
			return ErrTwoStepOff
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		if err := c.rotate(audit.RecoveryCodesReplaced, nil); err != nil {
			return err
		}
		codes, err = c.issueRecoveryCodes()
		return err
	})
	return codes, session, err
}

// issueRecoveryCodes replaces the person's recovery codes and returns the new ones. The lock of the
// person's row keeps two requests from storing ten codes each.
func (c *change) issueRecoveryCodes() ([]string, error) {
	codes := make([]string, recoveryCodeCount)
	rows := make([]recoveryRow, recoveryCodeCount)
	for i := range codes {
		codes[i] = newRecoveryCode()
		code, _ := parseRecoveryCode(codes[i]) // newRecoveryCode returns valid codes only
		rows[i] = recoveryRow{
			UserID: c.session.UserID, CodeHash: hashText(c.session.UserID + " " + code),
		}
	}
	err := deleteRows(c.tx, "identity.voidRecoveryCodes", nil, &recoveryRow{}, "user_id = ?",
		c.session.UserID)
	if err != nil {
		return nil, err
	}
	return codes, insertRows(c.tx, "identity.addRecoveryCodes", &rows)
}

func (c *change) useRecoveryCode(code string) error {
	hash := hashText(c.session.UserID + " " + code)
	err := deleteRows(c.tx, "identity.useRecoveryCode", ErrWrongCode, &recoveryRow{},
		"user_id = ? and code_hash = ?", c.session.UserID, hash)
	if err != nil {
		return err
	}
	return c.service.recorder.record(c.tx, c.session.User.person(),
		audit.Entry{Action: audit.RecoveryCodeUsed})
}

const resetTTL = 30 * time.Minute

// ErrNoReset says that a reset's token is unknown, expired, used or voided.
var ErrNoReset = apperr.New(apperr.NotFound,
	"This link no longer works: it works once, for 30 minutes. If you have set a password, sign in with it; "+
		"otherwise ask the operator of this service for a new one.")

// Operator changes accounts for dg's commands. DB connects as the owner of the tables.
type Operator struct {
	DB       *postgres.DB
	Now      func() time.Time
	Recorder Recorder
}

// Reset lets a person set a new password once, without two-step verification.
type Reset struct {
	Person    Person
	Token     string // the token in the link: a secret
	ExpiresAt time.Time
}

// BeginReset stores and returns a reset for the person with the e-mail. It voids the person's
// earlier reset. Errors: ErrNoSuchEmail, apperr.Unavailable when the reset cannot be recorded.
func (o Operator) BeginReset(ctx context.Context, email string) (Reset, error) {
	reset := Reset{Token: newToken(), ExpiresAt: instant(o.Now()).Add(resetTTL)}
	err := o.DB.Gorm.WithContext(ctx).Transaction(func(tx transaction) error {
		user, err := takeRow[userRow](tx.Clauses(lockRow), "identity.lockEmail", ErrNoSuchEmail,
			"email_key = ?", EmailKey(email))
		if err != nil {
			return err
		}
		reset.Person = user.person()
		err = insertRows(tx.Clauses(upsert), "identity.insertReset", &resetRow{
			UserID: user.ID, TokenHash: hashText(reset.Token), ExpiresAt: reset.ExpiresAt,
		})
		if err != nil {
			return err
		}
		return o.Recorder.record(tx, reset.Person, audit.Entry{
			Actor:   audit.OperatorActor,
			Action:  audit.ResetCreated,
			Details: map[string]any{"name": user.Name, "until": reset.ExpiresAt.Format(time.RFC3339)},
		})
	})
	return reset, err
}

// PersonOfReset returns the person of a reset without using it up. Errors: ErrNoReset.
func (s *Service) PersonOfReset(ctx context.Context, token string) (Person, error) {
	user, err := userOfReset(s.gorm(ctx), token, s.clock())
	return user.person(), err
}

// ResetPassword uses up the reset. It sets the password, turns two-step verification off, voids the
// recovery codes and ends the person's sessions. It also ends the browser's session of
// sessionToken, which may be another person's or empty. Errors: ErrNoReset, apperr.Validation with
// the field "new", apperr.Unavailable when too many people sign in at once or the reset cannot be
// recorded.
func (s *Service) ResetPassword(ctx context.Context, token, password, sessionToken string) error {
	release, err := s.slots.Acquire(ctx, networkOf(ctx))
	if err != nil {
		return err
	}
	defer release()
	// before hashing, so that an unknown token costs no hash
	user, err := userOfReset(s.gorm(ctx), token, s.clock())
	if err != nil {
		return err
	}
	if err := checkPassword(password, user); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.gorm(ctx).Transaction(func(tx transaction) error {
		if err := useReset(tx, token, hash, s.clock()); err != nil {
			return err
		}
		if err := endSession(tx, sessionToken, nil); err != nil { // triggers have ended the person's sessions
			return err
		}
		if user.TOTPSecret != nil {
			err := s.recorder.record(tx, user.person(), audit.Entry{Action: audit.TwoStepTurnedOff})
			if err != nil {
				return err
			}
		}
		return s.recorder.record(tx, user.person(), audit.Entry{Action: audit.PasswordReset})
	})
}

func userOfReset(db transaction, token string, now time.Time) (userRow, error) {
	query := db.Scopes(acrossOrganisations).InnerJoins("User")
	row, err := takeRow[resetRow](query, "identity.ofReset", ErrNoReset,
		"token_hash = ? and expires_at > ?", hashText(token), now)
	return row.User, err
}

// useReset locks the person's row before it deletes the reset, so that only one of concurrent uses
// succeeds. Triggers end the sessions and void the recovery codes.
func useReset(tx transaction, token, hash string, now time.Time) error {
	user, err := userOfReset(tx.Clauses(lockUser), token, now)
	if err != nil {
		return err
	}
	err = deleteRows(tx, "identity.useReset", ErrNoReset, &resetRow{}, "token_hash = ?", hashText(token))
	if err != nil {
		return err
	}
	columns := twoStepColumns(nil, nil, nil)
	columns["password_hash"] = hash
	columns["password_since"] = now
	return updateUser(tx, "identity.reset", user.ID, columns)
}
