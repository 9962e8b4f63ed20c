package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

const personColumns = `u.id::text, u.name, u.email, u.totp_secret is not null, u.totp_since, u.password_since`

func (p *Person) fields() []any {
	return []any{&p.ID, &p.Name, &p.Email, &p.TwoStep, &p.TwoStepSince, &p.PasswordSince}
}

// maxPeople bounds People.
const maxPeople = 1000

// People returns the people with the ids, by name: at most 1,000. Unknown ids are left out.
func (s *Service) People(ctx context.Context, ids []string) ([]Person, error) {
	if len(ids) > maxPeople {
		return nil, fmt.Errorf("identity: people: %d ids, more than %d", len(ids), maxPeople)
	}
	rows, err := s.db.Pool.Query(ctx, `/* identity.people */
		select `+personColumns+` from users u where u.id = any($1::uuid[]) order by u.name, u.id`, ids)
	if err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	people, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Person])
	if err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	return people, nil
}

// lockedSession is a session under the lock of its person's row: changes of a person happen one after the other.
type lockedSession struct {
	Session
	client           sessionClient
	offeredSecret    string // as stored; "": none
	secret           string // as stored; "": two-step verification is off
	lastStep         int64  // of the last code that was accepted
	codes            codeAttempts
	usedRecoveryCode bool
	lockedUntil      *time.Time // the lock that a wrong code began, or nil
}

// change is what a request does to a person.
type change func(tx pgx.Tx, in *lockedSession, now time.Time) error

// withPersonLocked runs fn for the person of a session in one transaction. A wrong code is counted although fn failed.
func (s *Service) withPersonLocked(ctx context.Context, token string, secondStepDue bool, fn change) (Session, error) {
	var in lockedSession
	var wrongCode error
	err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) (err error) {
		now := s.clock()
		if in, err = lockPerson(ctx, tx, token, secondStepDue, now); err != nil {
			return err
		}
		err = fn(tx, &in, now)
		if errors.Is(err, ErrWrongCode) {
			wrongCode, err = err, nil
		}
		return err
	})
	if err == nil {
		err = wrongCode
	}
	if err != nil {
		if in.secret != "" { // a wrong code at enrolment is no failed sign-in: who sends it has seen the secret
			s.recordFailure(ctx, in.Person, err, in.lockedUntil)
		}
		return Session{}, err
	}
	return in.Session, nil
}

func lockPerson(ctx context.Context, tx pgx.Tx, token string, secondStepDue bool, now time.Time) (lockedSession, error) {
	in := lockedSession{Session: Session{Token: token, SecondStepDue: secondStepDue}}
	err := tx.QueryRow(ctx, `/* identity.lockPerson */
		select s.created_at, s.address, s.user_agent, s.known_browser, coalesce(s.totp_offer, ''), coalesce(u.totp_secret, ''),
		       coalesce(u.totp_last_step, 0), u.wrong_codes, u.code_waits, u.codes_wait_until, `+personColumns+`
		  from sessions s join users u on u.id = s.user_id
		 where s.token_hash = $1 and s.expires_at > $2 and s.second_step_due = $3 for no key update of u`,
		hashToken(token), now, secondStepDue).
		Scan(append([]any{&in.StartedAt, &in.client.address, &in.client.userAgent, &in.client.browser, &in.offeredSecret, &in.secret,
			&in.lastStep, &in.codes.wrong, &in.codes.locks, &in.codes.lockedUntil}, in.Person.fields()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return in, ErrNoSession
	}
	if err != nil {
		return in, fmt.Errorf("identity: lock a person: %w", err)
	}
	return in, nil
}

// rotate gives the session a new token, with its second step done, and runs apply, which may be nil, in between: a change of
// password or secret ends all sessions there are. The notice is recorded and shown; "" is none. A session that ended while
// it waited for the lock does not come back.
func (s *Service) rotate(ctx context.Context, tx pgx.Tx, in *lockedSession, now time.Time, notice Notice, apply func() error) error {
	ended, err := tx.Exec(ctx, `/* identity.rotate */ delete from sessions where token_hash = $1`, hashToken(in.Token))
	if err != nil {
		return fmt.Errorf("identity: rotate: %w", err)
	}
	if ended.RowsAffected() == 0 {
		return ErrNoSession
	}
	if apply != nil {
		if err := apply(); err != nil {
			return err
		}
	}
	err = tx.QueryRow(ctx, `/* identity.person */ select `+personColumns+` from users u where u.id = $1`, in.Person.ID).
		Scan(in.Person.fields()...)
	if err != nil {
		return fmt.Errorf("identity: person: %w", err)
	}
	in.Token, in.SecondStepDue = newToken(), false
	if err := insertSession(ctx, tx, in.Session, in.client, notice, now); err != nil {
		return err
	}
	if in.usedRecoveryCode {
		if err := s.record(ctx, tx, in.Person, event{action: audit.RecoveryCodeUsed}); err != nil {
			return err
		}
	}
	if notice == "" {
		return nil
	}
	return s.record(ctx, tx, in.Person, event{action: notice})
}

// update sets columns of the person whose id is the first argument.
func update(ctx context.Context, tx pgx.Tx, tag, set string, args ...any) error {
	if _, err := tx.Exec(ctx, "/* "+tag+" */ update users set "+set+" where id = $1", args...); err != nil {
		return fmt.Errorf("%s: %w", tag, err)
	}
	return nil
}
