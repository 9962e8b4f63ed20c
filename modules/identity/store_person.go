package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// signedIn is a session whose person's row is locked: what happens to the person, happens one after the other.
type signedIn struct {
	Session
	client   Client
	offer    string // as it is stored; "": none
	secret   string // as it is stored; "": two-step verification is off
	lastStep int64
	guesses  guesses
	recovery bool       // whether the code that was taken is a recovery code
	ended    *time.Time // the wait that a wrong code has begun, or nil
}

// deed is what is done for a person.
type deed func(tx pgx.Tx, in *signedIn, now time.Time) error

// asPerson does a deed for the person of a session in one transaction, under a lock of the person's row. What counts a
// wrong code is kept though the deed was not done.
func (s *Service) asPerson(ctx context.Context, token string, secondStepDue bool, do deed) (Session, error) {
	var in signedIn
	var refused error
	err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) (err error) {
		now := s.clock()
		if in, err = lock(ctx, tx, token, secondStepDue, now); err != nil {
			return err
		}
		err = do(tx, &in, now)
		if errors.Is(err, ErrWrongCode) {
			refused, err = err, nil
		}
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		if in.secret != "" { // a code that does not confirm a secret is no guess: who sends it has seen the secret
			s.fail(ctx, in.Person, err, in.ended)
		}
		return Session{}, err
	}
	return in.Session, nil
}

func lock(ctx context.Context, tx pgx.Tx, token string, secondStepDue bool, now time.Time) (signedIn, error) {
	in := signedIn{Session: Session{Token: token, SecondStepDue: secondStepDue}}
	err := tx.QueryRow(ctx, `/* identity.lock */
		select s.created_at, s.address, s.user_agent, coalesce(s.totp_offer, ''), coalesce(u.totp_secret, ''),
		       coalesce(u.totp_last_step, 0), u.wrong_codes, u.code_waits, u.codes_wait_until, s.known_browser, `+personColumns+`
		  from sessions s join users u on u.id = s.user_id
		 where s.token_hash = $1 and s.expires_at > $2 and s.second_step_due = $3 for no key update of u`,
		hashToken(token), now, secondStepDue).
		Scan(append([]any{&in.StartedAt, &in.client.Address, &in.client.UserAgent, &in.offer, &in.secret,
			&in.lastStep, &in.guesses.wrong, &in.guesses.waits, &in.guesses.waitUntil, &in.client.known}, in.Person.fields()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return in, ErrNoSession
	}
	if err != nil {
		return in, fmt.Errorf("identity: lock a person: %w", err)
	}
	return in, nil
}

// renew lets the session go on under a new token, as one whose second step is done, and changes the person in between;
// nil changes nothing. The notice says what was changed, and is recorded. A session that has ended while the lock was waited for does not
// come back.
func (s *Service) renew(ctx context.Context, tx pgx.Tx, in *signedIn, now time.Time, notice Notice, change func() error) error {
	ended, err := tx.Exec(ctx, `/* identity.renew */ delete from sessions where token_hash = $1`, hashToken(in.Token))
	if err != nil {
		return fmt.Errorf("identity: renew: %w", err)
	}
	if ended.RowsAffected() == 0 {
		return ErrNoSession
	}
	if change != nil {
		if err := change(); err != nil {
			return err
		}
	}
	if in.Token, err = newToken(s.random); err != nil {
		return err
	}
	in.SecondStepDue = false
	err = tx.QueryRow(ctx, `/* identity.person */ select `+personColumns+` from users u where u.id = $1`, in.Person.ID).
		Scan(in.Person.fields()...)
	if err != nil {
		return fmt.Errorf("identity: person: %w", err)
	}
	if err := insertSession(ctx, tx, in.Session, in.client, now); err != nil {
		return err
	}
	if in.recovery {
		if err := s.record(ctx, tx, in.Person, RecoveryCodeUsed); err != nil {
			return err
		}
	}
	if notice == "" {
		return nil
	}
	if err := leaveNotice(ctx, tx, in.Token, notice); err != nil {
		return err
	}
	return s.record(ctx, tx, in.Person, notice)
}

func saveGuesses(ctx context.Context, tx pgx.Tx, in *signedIn, lastStep int64, after guesses) error {
	return update(ctx, tx, "identity.saveGuesses", "totp_last_step = $2, wrong_codes = $3, code_waits = $4, codes_wait_until = $5",
		in.Person.ID, lastStep, after.wrong, after.waits, after.waitUntil)
}

// turnOn begins to count codes and guesses anew: they are another secret's. The code that confirmed it is used.
func turnOn(ctx context.Context, tx pgx.Tx, in *signedIn, sealed string, step int64, now time.Time) error {
	return update(ctx, tx, "identity.turnOn",
		"totp_secret = $2, totp_since = $3, totp_last_step = $4, wrong_codes = 0, code_waits = 0, codes_wait_until = null",
		in.Person.ID, sealed, now, step)
}

func turnOff(ctx context.Context, tx pgx.Tx, in *signedIn) error {
	return update(ctx, tx, "identity.turnOff", "totp_secret = null, totp_since = null, totp_last_step = null", in.Person.ID)
}

func update(ctx context.Context, tx pgx.Tx, tag, set string, args ...any) error {
	if _, err := tx.Exec(ctx, "/* "+tag+" */ update users set "+set+" where id = $1", args...); err != nil {
		return fmt.Errorf("%s: %w", tag, err)
	}
	return nil
}

func replacePassword(ctx context.Context, tx pgx.Tx, in *signedIn, hash string, now time.Time) error {
	return update(ctx, tx, "identity.replacePassword", "password_hash = $2, password_since = $3", in.Person.ID, hash, now)
}

// offer keeps the sealed secret with the session, unless one is there already, and returns that one.
func (s *Service) offer(ctx context.Context, token, sealed string, now time.Time) (offered string, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.offer */
		update sessions s set totp_offer = coalesce(s.totp_offer, $3) from users u
		 where u.id = s.user_id and u.totp_secret is null and s.token_hash = $1 and s.expires_at > $2
		returning s.totp_offer`, hashToken(token), now, sealed).Scan(&offered)
	if errors.Is(err, pgx.ErrNoRows) {
		if _, _, err := s.session(ctx, token, now); err != nil {
			return "", err
		}
		return "", ErrTwoStepOn
	}
	if err != nil {
		return "", fmt.Errorf("identity: offer: %w", err)
	}
	return offered, nil
}
