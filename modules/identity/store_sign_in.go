package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

func (s *Service) credentials(ctx context.Context, email, browser string, now time.Time) (credentials, error) {
	who := credentials{Person: Person{Email: email}}
	key := EmailKey(email)
	if !utf8.ValidString(key) || strings.Contains(key, "\x00") {
		return who, nil // PostgreSQL stores no such text
	}
	err := s.db.Pool.QueryRow(ctx, `/* identity.credentials */
		select u.password_hash, exists (select from known_browsers b where b.token_hash = $2 and b.user_id = u.id and b.last_used_at > $3), `+personColumns+`
		  from users u where u.email_key = $1`, key, hashToken(browser), now.Add(-KnownBrowserTTL)).
		Scan(append([]any{&who.passwordHash, &who.knownBrowser}, who.fields()...)...)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return who, fmt.Errorf("identity: credentials: %w", err)
	}
	return who, nil
}

// sessionCredentials returns ErrNoSession unless the token's session is signed in.
func (s *Service) sessionCredentials(ctx context.Context, token string, now time.Time) (who credentials, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.sessionCredentials */
		select u.password_hash, `+personColumns+` from sessions s join users u on u.id = s.user_id
		 where s.token_hash = $1 and s.expires_at > $2 and not s.second_step_due`, hashToken(token), now).
		Scan(append([]any{&who.passwordHash}, who.fields()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return who, ErrNoSession
	}
	if err != nil {
		return who, fmt.Errorf("identity: credentials: %w", err)
	}
	return who, nil
}

// begin stores a session if the verified password still is the person's. The share lock puts a change of it before, where
// it is seen here, or after, where it ends this session.
func (s *Service) begin(ctx context.Context, who credentials, limits []attemptLimit, from sessionClient, now time.Time) (Session, error) {
	begun := Session{Token: newToken(), StartedAt: now}
	err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `/* identity.verified */
			select `+personColumns+` from users u where u.id = $1 and u.password_hash = $2 for share`, who.ID, who.passwordHash).
			Scan(begun.Person.fields()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrWrongPassword
		}
		if err != nil {
			return fmt.Errorf("identity: verified: %w", err)
		}
		if err := clearFailures(ctx, tx, limits, now); err != nil {
			return err
		}
		begun.SecondStepDue = begun.Person.TwoStep
		if err := insertSession(ctx, tx, begun, from, "", now); err != nil {
			return err
		}
		if err := deleteExcessSessions(ctx, tx, begun.Person.ID); err != nil || begun.SecondStepDue {
			return err
		}
		return s.record(ctx, tx, begun.Person, event{action: audit.SignedIn})
	})
	if err != nil {
		return Session{}, err
	}
	return begun, nil
}

// sessionClient is the browser of a session as it is stored.
type sessionClient struct {
	address, userAgent string
	browser            []byte // the hash of a known browser's token; nil: another browser
}

func insertSession(ctx context.Context, tx pgx.Tx, of Session, from sessionClient, notice Notice, now time.Time) error {
	_, err := tx.Exec(ctx, `/* identity.insertSession */
		insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due, address, user_agent, known_browser, notice)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, nullif($10, ''))`,
		hashToken(of.Token), of.Person.ID, of.StartedAt, now, of.expiry(now), of.SecondStepDue, from.address, from.userAgent, from.browser, notice)
	if err != nil {
		return fmt.Errorf("identity: insert a session: %w", err)
	}
	return nil
}

// maxSessions bounds a person's sessions.
const maxSessions = 100

// deleteExcessSessions ends the sessions beyond the bound, those that never gave their code first.
func deleteExcessSessions(ctx context.Context, tx pgx.Tx, personID string) error {
	_, err := tx.Exec(ctx, `/* identity.deleteExcessSessions */ delete from sessions where token_hash in
		(select token_hash from sessions where user_id = $1
		  order by second_step_due, last_used_at desc offset $2 for update skip locked)`, personID, maxSessions)
	if err != nil {
		return fmt.Errorf("identity: delete excess sessions: %w", err)
	}
	return nil
}
