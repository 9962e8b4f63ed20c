package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// waiting returns a LockedError while no password is looked at for the e-mail.
func (s *Service) waiting(ctx context.Context, emailKey string, now time.Time) error {
	return waitOf(ctx, s.db.Pool, emailKey, now)
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func waitOf(ctx context.Context, db querier, emailKey string, now time.Time) error {
	var until time.Time
	err := db.QueryRow(ctx, `/* identity.waiting */
		select ends_at from password_guesses where email_hash = $1 and wrong >= $2 and ends_at > $3`,
		guessKey(emailKey), maxWrong, now).Scan(&until)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("identity: wrong passwords: %w", err)
	}
	return locked(until, now)
}

// countWrongPassword returns ErrWrongPassword for up to ten in a minute, and a LockedError from then on. Of many at once
// each waits for the row, so the count is exact.
func (s *Service) countWrongPassword(ctx context.Context, emailKey string, now time.Time) error {
	counted, err := s.db.Pool.Exec(ctx, `/* identity.countWrongPassword */
		insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 1, $3)
		on conflict (email_hash) do update
		   set wrong = case when g.ends_at <= $2 then 1 else g.wrong + 1 end,
		       ends_at = case when g.ends_at <= $2 or g.wrong + 1 >= $4 then $3 else g.ends_at end
		 where g.wrong < $4 or g.ends_at <= $2`, guessKey(emailKey), now, now.Add(guessWait), maxWrong)
	if err != nil {
		return fmt.Errorf("identity: count a wrong password: %w", err)
	}
	if counted.RowsAffected() == 0 { // others have made the ten meanwhile
		if err := s.waiting(ctx, emailKey, now); err != nil {
			return err
		}
	}
	return ErrWrongPassword
}

// forgetWrongPasswords is for a right one. It returns a LockedError where there were too many wrong ones meanwhile: under
// the row's lock, so that a right guess is among the ten or is not looked at.
func forgetWrongPasswords(ctx context.Context, tx pgx.Tx, emailKey string, now time.Time) error {
	done, err := tx.Exec(ctx, `/* identity.forgetWrongPasswords */
		insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 0, $2)
		on conflict (email_hash) do update set wrong = 0, ends_at = excluded.ends_at where g.wrong < $3 or g.ends_at <= $2`,
		guessKey(emailKey), now, maxWrong)
	if err != nil {
		return fmt.Errorf("identity: forget wrong passwords: %w", err)
	}
	if done.RowsAffected() == 0 {
		return waitOf(ctx, tx, emailKey, now)
	}
	return nil
}

// sweep removes some of what has ended: more than one sign-in adds, so that neither table grows for long. What another
// one removes at the same time is left to it.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	for _, sql := range []string{
		`/* identity.sweepSessions */ delete from sessions where token_hash in
			(select token_hash from sessions where expires_at <= $1 order by expires_at limit 100 for update skip locked)`,
		`/* identity.sweepGuesses */ delete from password_guesses where email_hash in
			(select email_hash from password_guesses where ends_at <= $1 order by ends_at limit 100 for update skip locked)`,
	} {
		if _, err := s.db.Pool.Exec(ctx, sql, now); err != nil {
			return fmt.Errorf("identity: sweep: %w", err)
		}
	}
	return nil
}
