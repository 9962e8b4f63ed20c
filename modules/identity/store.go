package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

const personColumns = `u.id::text, u.name, u.email, u.totp_secret is not null, u.totp_since, u.password_since`

func (p *Person) fields() []any {
	return []any{&p.ID, &p.Name, &p.Email, &p.TwoStep, &p.TwoStepSince, &p.PasswordSince}
}

func (s *Service) session(ctx context.Context, token string, now time.Time) (found Session, lastUsed time.Time, err error) {
	found.Token = token
	err = s.db.Pool.QueryRow(ctx, `/* identity.session */
		select s.created_at, s.second_step_due, s.last_used_at, `+personColumns+`
		  from sessions s join users u on u.id = s.user_id
		 where s.token_hash = $1 and s.expires_at > $2`, hashToken(token), now).
		Scan(append([]any{&found.StartedAt, &found.SecondStepDue, &lastUsed}, found.Person.fields()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return Session{}, lastUsed, ErrNoSession
	}
	if err != nil {
		return Session{}, lastUsed, fmt.Errorf("identity: session: %w", err)
	}
	return found, lastUsed, nil
}

// touch never moves a last use back: two requests at once may come here in either order.
func (s *Service) touch(ctx context.Context, session Session, now time.Time) error {
	_, err := s.db.Pool.Exec(ctx, `/* identity.touch */
		update sessions set last_used_at = $2, expires_at = $3 where token_hash = $1 and last_used_at < $2`,
		hashToken(session.Token), now, expiry(session.StartedAt, now, false))
	if err != nil {
		return fmt.Errorf("identity: touch a session: %w", err)
	}
	return nil
}

// credentials are what a password is compared with.
type credentials struct {
	id, name, emailKey string
	passwordHash       *string // nil: there is none
	known              bool    // whether the browser has signed in as this person before
}

func (c credentials) person() Person { return Person{ID: c.id, Name: c.name, Email: c.emailKey} }

// credentials of an e-mail that nobody has are the zero value.
func (s *Service) credentials(ctx context.Context, emailKey, browser string, now time.Time) (credentials, error) {
	who := credentials{emailKey: emailKey}
	if !utf8.ValidString(emailKey) || strings.Contains(emailKey, "\x00") {
		return who, nil // PostgreSQL knows no such text
	}
	err := s.db.Pool.QueryRow(ctx, `/* identity.credentials */
		select u.id::text, u.name, u.password_hash, exists (select from known_browsers b
		        where b.token_hash = $2 and b.user_id = u.id and b.last_used_at > $3)
		  from users u where u.email_key = $1`, emailKey, hashToken(browser), now.Add(-KnownFor)).
		Scan(&who.id, &who.name, &who.passwordHash, &who.known)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return who, fmt.Errorf("identity: credentials: %w", err)
	}
	return who, nil
}

func (s *Service) credentialsOf(ctx context.Context, token string, now time.Time) (who credentials, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.credentialsOf */
		select u.id::text, u.name, u.email_key, u.password_hash from sessions s join users u on u.id = s.user_id
		 where s.token_hash = $1 and s.expires_at > $2 and not s.second_step_due`, hashToken(token), now).
		Scan(&who.id, &who.name, &who.emailKey, &who.passwordHash)
	if errors.Is(err, pgx.ErrNoRows) {
		return who, ErrNoSession
	}
	if err != nil {
		return who, fmt.Errorf("identity: credentials: %w", err)
	}
	return who, nil
}

// begin stores a session if the password that was verified still is the person's: the share lock makes a change of it come
// before, and be seen here, or after, and end this session.
func (s *Service) begin(ctx context.Context, who credentials, token string, from Client, now time.Time) (Session, error) {
	var begun Session
	err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		begun = Session{Token: token, StartedAt: now}
		err := tx.QueryRow(ctx, `/* identity.verified */
			select `+personColumns+` from users u where u.id = $1 and u.password_hash = $2 for share`, who.id, who.passwordHash).
			Scan(begun.Person.fields()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrWrongPassword
		}
		if err != nil {
			return fmt.Errorf("identity: verified: %w", err)
		}
		if err := forgetWrong(ctx, tx, signInBudgets(who, from), now); err != nil {
			return err
		}
		begun.SecondStepDue = begun.Person.TwoStep
		if who.known {
			from.known = hashToken(from.Browser)
		}
		if err := insertSession(ctx, tx, begun, from, now); err != nil {
			return err
		}
		if err := dropOldest(ctx, tx, begun.Person.ID); err != nil || begun.SecondStepDue {
			return err
		}
		return s.recordSignIn(ctx, tx, begun.Person)
	})
	if err != nil {
		return Session{}, err
	}
	return begun, nil
}

func insertSession(ctx context.Context, tx pgx.Tx, of Session, from Client, now time.Time) error {
	_, err := tx.Exec(ctx, `/* identity.insertSession */
		insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due, address, user_agent, known_browser)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		hashToken(of.Token), of.Person.ID, of.StartedAt, now, expiry(of.StartedAt, now, of.SecondStepDue), of.SecondStepDue,
		from.Address, from.UserAgent, from.known)
	if err != nil {
		return fmt.Errorf("identity: insert a session: %w", err)
	}
	return nil
}

// maxSessions bounds a person's sessions.
const maxSessions = 100

// dropOldest ends the sessions that are more than the bound, those that never gave their code first.
func dropOldest(ctx context.Context, tx pgx.Tx, personID string) error {
	_, err := tx.Exec(ctx, `/* identity.dropOldest */ delete from sessions where token_hash in
		(select token_hash from sessions where user_id = $1
		  order by second_step_due, last_used_at desc offset $2 for update skip locked)`, personID, maxSessions)
	if err != nil {
		return fmt.Errorf("identity: drop sessions: %w", err)
	}
	return nil
}

func (s *Service) end(ctx context.Context, token string) error {
	_, err := s.db.Pool.Exec(ctx, `/* identity.end */ delete from sessions where token_hash = $1`, hashToken(token))
	if err != nil {
		return fmt.Errorf("identity: end a session: %w", err)
	}
	return nil
}

func (s *Service) people(ctx context.Context, ids []string) ([]Person, error) {
	rows, err := s.db.Pool.Query(ctx, `/* identity.people */
		select `+personColumns+` from users u where u.id = any($1::uuid[]) order by u.name, u.id`, ids)
	if err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	people, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Person, err error) { return p, row.Scan(p.fields()...) })
	if err != nil {
		return nil, fmt.Errorf("identity: people: %w", err)
	}
	return people, nil
}
