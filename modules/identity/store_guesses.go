package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// waitOf returns a LockedError while one of the budgets is used up: nothing is compared.
func waitOf(ctx context.Context, db querier, budgets []budget, now time.Time) error {
	keys, limits := make([][]byte, len(budgets)), make([]int, len(budgets))
	for i, b := range budgets {
		keys[i], limits[i] = b.key, b.limit
	}
	var until *time.Time
	err := db.QueryRow(ctx, `/* identity.waiting */
		select max(g.ends_at) from unnest($1::bytea[], $2::int[]) b(key, most)
		  join password_guesses g on g.email_hash = b.key and g.wrong >= b.most and g.ends_at > $3`, keys, limits, now).Scan(&until)
	if err != nil {
		return fmt.Errorf("identity: wrong guesses: %w", err)
	}
	if until == nil {
		return nil
	}
	return locked(*until, now)
}

// count takes one of a budget, and returns how many are taken; ok is false where it is used up. Of many at once each waits
// for the row, so the count is exact.
func count(ctx context.Context, tx pgx.Tx, b budget, now time.Time) (taken int, ok bool, err error) {
	err = tx.QueryRow(ctx, `/* identity.countGuess */
		insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 1, $3)
		on conflict (email_hash) do update
		   set wrong = case when g.ends_at <= $2 then 1 else g.wrong + 1 end,
		       ends_at = case when g.ends_at <= $2 or g.wrong + 1 >= $4 then $3 else g.ends_at end
		 where g.wrong < $4 or g.ends_at <= $2
		returning wrong`, b.key, now, now.Add(b.window), b.limit).Scan(&taken)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("identity: count a guess: %w", err)
	}
	return taken, true, nil
}

// countWrong counts a wrong password in all of the budgets or, where others have used one up meanwhile, in none, and
// returns a LockedError. ended is the wait that it has begun for the account, or nil.
func (s *Service) countWrong(ctx context.Context, budgets []budget, now time.Time) (ended *time.Time, err error) {
	err = pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		for _, b := range budgets {
			taken, ok, err := count(ctx, tx, b, now)
			if err != nil {
				return err
			}
			if !ok {
				if err := waitOf(ctx, tx, []budget{b}, now); err != nil {
					return err
				}
				return ErrWrongPassword // the wait has just ended
			}
			if taken == b.limit && !b.keeps {
				until := now.Add(b.window)
				ended = &until
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// forgetWrong is for a right guess. It returns a LockedError where there were too many wrong ones meanwhile: under the rows'
// locks, so that a right guess is among those that are compared or is not looked at.
func forgetWrong(ctx context.Context, tx pgx.Tx, budgets []budget, now time.Time) error {
	for _, b := range budgets {
		if b.keeps {
			if err := waitOf(ctx, tx, []budget{b}, now); err != nil {
				return err
			}
			continue
		}
		done, err := tx.Exec(ctx, `/* identity.forgetGuesses */
			insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 0, $2)
			on conflict (email_hash) do update set wrong = 0, ends_at = excluded.ends_at where g.wrong < $3 or g.ends_at <= $2`,
			b.key, now, b.limit)
		if err != nil {
			return fmt.Errorf("identity: forget wrong guesses: %w", err)
		}
		if done.RowsAffected() == 0 {
			if err := waitOf(ctx, tx, []budget{b}, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweepEvery is how often an instance removes what has ended, at most.
const sweepEvery = time.Second

// sweep removes some of what has ended: more than the sign-ins of a second add, so that no table grows for long. What
// another one removes at the same time is left to it.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	last := s.swept.Load()
	if now.Sub(time.UnixMilli(last)).Abs() < sweepEvery || !s.swept.CompareAndSwap(last, now.UnixMilli()) {
		return nil
	}
	for _, sql := range []string{
		`/* identity.sweepSessions */ delete from sessions where token_hash in
			(select token_hash from sessions where expires_at <= $1 order by expires_at limit 1000 for update skip locked)`,
		`/* identity.sweepGuesses */ delete from password_guesses where email_hash in
			(select email_hash from password_guesses where ends_at <= $1 order by ends_at limit 1000 for update skip locked)`,
		`/* identity.sweepBrowsers */ delete from known_browsers where token_hash in
			(select token_hash from known_browsers where last_used_at <= $1::timestamptz - interval '` + knownForDays + ` days'
			  order by last_used_at limit 1000 for update skip locked)`,
	} {
		if _, err := s.db.Pool.Exec(ctx, sql, now); err != nil {
			return fmt.Errorf("identity: sweep: %w", err)
		}
	}
	return nil
}
