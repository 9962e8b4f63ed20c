package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// insertReset fills in the person, and removes the resets that have expired.
func (s *Service) insertReset(ctx context.Context, emailKey string, reset *Reset, now time.Time) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `/* identity.lockEmail */ select `+personColumns+` from users u where u.email_key = $1 for no key update`, emailKey).
			Scan(reset.Person.fields()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return apperr.New(apperr.NotFound, "Nobody has this e-mail.")
		}
		if err != nil {
			return fmt.Errorf("identity: look for a person: %w", err)
		}
		if _, err := tx.Exec(ctx, `/* identity.sweepResets */ delete from account_resets where expires_at <= $1`, now); err != nil {
			return fmt.Errorf("identity: sweep resets: %w", err)
		}
		_, err = tx.Exec(ctx, `/* identity.insertReset */
			insert into account_resets (user_id, token_hash, expires_at) values ($1, $2, $3)
			on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
			reset.Person.ID, hashToken(reset.Token), reset.ExpiresAt)
		if err != nil {
			return fmt.Errorf("identity: insert a reset: %w", err)
		}
		return nil
	})
}

// ResetPerson returns the person of the token's reset. Errors: ErrNoReset.
func (s *Service) ResetPerson(ctx context.Context, token string) (Person, error) {
	whose, err := resetCredentials(ctx, s.db.Pool, "", token, s.clock())
	return whose.Person, err
}

func resetCredentials(ctx context.Context, db querier, lock, token string, now time.Time) (whose credentials, err error) {
	err = db.QueryRow(ctx, `/* identity.resetCredentials */
		select u.password_hash, `+personColumns+` from account_resets r join users u on u.id = r.user_id
		 where r.token_hash = $1 and r.expires_at > $2 `+lock, hashToken(token), now).
		Scan(append([]any{&whose.passwordHash}, whose.fields()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return whose, ErrNoReset
	}
	if err != nil {
		return whose, fmt.Errorf("identity: look for a reset: %w", err)
	}
	return whose, nil
}

// useReset locks the person's row before it removes the reset, in the order of all changes: of concurrent uses one finds it.
// Triggers end the sessions and void the recovery codes.
func (s *Service) useReset(ctx context.Context, token, hash string, now time.Time) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		whose, err := resetCredentials(ctx, tx, "for no key update of u", token, now)
		if err != nil {
			return err
		}
		used, err := tx.Exec(ctx, `/* identity.useReset */ delete from account_resets where token_hash = $1`, hashToken(token))
		if err != nil {
			return fmt.Errorf("identity: use a reset: %w", err)
		}
		if used.RowsAffected() == 0 {
			return ErrNoReset
		}
		err = update(ctx, tx, "identity.reset", `password_hash = $2, password_since = $3,
			totp_secret = null, totp_since = null, totp_last_step = null, wrong_codes = 0, code_waits = 0, codes_wait_until = null`, whose.ID, hash, now)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, whose.Person, event{action: audit.PasswordReset})
	})
}
