package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// offerSecret stores the sealed secret with the session unless one is there already, and returns the stored one.
func (s *Service) offerSecret(ctx context.Context, token, sealed string, now time.Time) (stored string, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.offerSecret */
		update sessions s set totp_offer = coalesce(s.totp_offer, $3) from users u
		 where u.id = s.user_id and u.totp_secret is null and s.token_hash = $1 and s.expires_at > $2
		returning s.totp_offer`, hashToken(token), now, sealed).Scan(&stored)
	if errors.Is(err, pgx.ErrNoRows) {
		if _, _, err := s.session(ctx, token, now); err != nil {
			return "", err
		}
		return "", ErrTwoStepOn
	}
	if err != nil {
		return "", fmt.Errorf("identity: offer a secret: %w", err)
	}
	return stored, nil
}

// turnOnTwoStep forgets wrong codes: they belong to another secret. The code that confirmed the secret is used.
func turnOnTwoStep(ctx context.Context, tx pgx.Tx, in *lockedSession, sealed string, step int64, now time.Time) error {
	return update(ctx, tx, "identity.turnOnTwoStep",
		"totp_secret = $2, totp_since = $3, totp_last_step = $4, wrong_codes = 0, code_waits = 0, codes_wait_until = null",
		in.Person.ID, sealed, now, step)
}

func turnOffTwoStep(ctx context.Context, tx pgx.Tx, in *lockedSession) error {
	return update(ctx, tx, "identity.turnOffTwoStep", "totp_secret = null, totp_since = null, totp_last_step = null", in.Person.ID)
}

func saveCodeAttempts(ctx context.Context, tx pgx.Tx, in *lockedSession, lastStep int64, a codeAttempts) error {
	return update(ctx, tx, "identity.saveCodeAttempts", "totp_last_step = $2, wrong_codes = $3, code_waits = $4, codes_wait_until = $5",
		in.Person.ID, lastStep, a.wrong, a.locks, a.lockedUntil)
}

// replaceRecoveryCodes needs the lock of the person's row: there are never more than ten codes.
func replaceRecoveryCodes(ctx context.Context, tx pgx.Tx, personID string) ([]string, error) {
	codes, hashes := make([]string, recoveryCodeCount), make([][]byte, recoveryCodeCount)
	for i := range codes {
		codes[i] = newRecoveryCode()
		code, _ := parseRecoveryCode(codes[i])
		hashes[i] = hashRecoveryCode(personID, code)
	}
	if _, err := tx.Exec(ctx, `/* identity.voidRecoveryCodes */ delete from recovery_codes where user_id = $1`, personID); err != nil {
		return nil, fmt.Errorf("identity: void recovery codes: %w", err)
	}
	_, err := tx.Exec(ctx, `/* identity.addRecoveryCodes */
		insert into recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])`, personID, hashes)
	if err != nil {
		return nil, fmt.Errorf("identity: add recovery codes: %w", err)
	}
	return codes, nil
}

// useRecoveryCode removes the code and reports whether it was the person's. Under the lock of the person's row no other
// transaction sees it again.
func useRecoveryCode(ctx context.Context, tx pgx.Tx, personID, code string) (bool, error) {
	used, err := tx.Exec(ctx, `/* identity.useRecoveryCode */ delete from recovery_codes where user_id = $1 and code_hash = $2`,
		personID, hashRecoveryCode(personID, code))
	if err != nil {
		return false, fmt.Errorf("identity: use a recovery code: %w", err)
	}
	return used.RowsAffected() == 1, nil
}

// RecoveryCodesLeft returns how many recovery codes the session's person has left. Errors: ErrNoSession.
func (s *Service) RecoveryCodesLeft(ctx context.Context, token string) (left int, err error) {
	own, err := s.signedIn(ctx, token, s.clock())
	if err != nil {
		return 0, err
	}
	err = s.db.Pool.QueryRow(ctx, `/* identity.countRecoveryCodes */ select count(*) from recovery_codes where user_id = $1`, own.Person.ID).Scan(&left)
	if err != nil {
		return 0, fmt.Errorf("identity: count recovery codes: %w", err)
	}
	return left, nil
}
