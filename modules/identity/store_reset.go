package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

// insertReset fills in the person. Resets that have expired go, so that none is kept for long.
func (s *Service) insertReset(ctx context.Context, emailKey string, reset *Reset, now time.Time) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `/* identity.resetPerson */ select `+personColumns+` from users u where u.email_key = $1 for no key update`, emailKey).
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

func (s *Service) resetPerson(ctx context.Context, token string, now time.Time) (whose Person, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.resetPerson */
		select `+personColumns+` from account_resets r join users u on u.id = r.user_id
		 where r.token_hash = $1 and r.expires_at > $2`, hashToken(token), now).Scan(whose.fields()...)
	if errors.Is(err, pgx.ErrNoRows) {
		return whose, ErrNoReset
	}
	if err != nil {
		return whose, fmt.Errorf("identity: look for a reset: %w", err)
	}
	return whose, nil
}

// useReset locks the person's row before the reset goes, as everywhere: of many at once one finds it. A trigger ends the
// sessions, another voids the recovery codes.
func (s *Service) useReset(ctx context.Context, token, hash string, now time.Time) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		var whose Person
		err := tx.QueryRow(ctx, `/* identity.lockReset */
			select `+personColumns+` from account_resets r join users u on u.id = r.user_id
			 where r.token_hash = $1 and r.expires_at > $2 for no key update of u`, hashToken(token), now).Scan(whose.fields()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoReset
		}
		if err != nil {
			return fmt.Errorf("identity: lock a reset: %w", err)
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
		return s.record(ctx, tx, whose, PasswordReset)
	})
}
