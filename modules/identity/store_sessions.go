package identity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

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

// touch never moves a last use back: requests of one session may overtake each other.
func (s *Service) touch(ctx context.Context, session Session, now time.Time) error {
	_, err := s.db.Pool.Exec(ctx, `/* identity.touch */
		update sessions set last_used_at = $2, expires_at = $3 where token_hash = $1 and last_used_at < $2`,
		hashToken(session.Token), now, session.expiry(now))
	if err != nil {
		return fmt.Errorf("identity: touch a session: %w", err)
	}
	return nil
}

// Sessions returns the active sessions of the session's person, itself first, then the last used: at most 100.
// Errors: ErrNoSession.
func (s *Service) Sessions(ctx context.Context, token string) ([]ActiveSession, error) {
	now := s.clock()
	own, err := s.signedIn(ctx, token, now)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Pool.Query(ctx, `/* identity.sessions */
		select encode(token_hash, 'hex'), address, user_agent, created_at, last_used_at, token_hash = $3
		  from sessions
		 where user_id = $1 and expires_at > $2 and not second_step_due
		 order by token_hash = $3 desc, last_used_at desc, token_hash limit $4`,
		own.Person.ID, now, hashToken(token), maxSessions)
	if err != nil {
		return nil, fmt.Errorf("identity: sessions: %w", err)
	}
	active, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ActiveSession])
	if err != nil {
		return nil, fmt.Errorf("identity: sessions: %w", err)
	}
	return active, nil
}

// EndSession ends one of the sessions of the session's person. It does nothing for a session that has ended already or is
// somebody else's. Errors: ErrNoSession, apperr.Unavailable.
func (s *Service) EndSession(ctx context.Context, token, id string) error {
	own, err := s.signedIn(ctx, token, s.clock())
	if err != nil {
		return err
	}
	hash, err := hex.DecodeString(id)
	if err != nil {
		return nil //nolint:nilerr // no session has such an id
	}
	return s.deleteSession(ctx, hash, own.Person.ID, "")
}

// SignOut ends the session of the token, if there is one. Errors: apperr.Unavailable.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.deleteSession(ctx, hashToken(token), "", audit.SignedOut)
}

// deleteSession ends a session, of the person unless personID is "", and records it. One that had expired, or never gave its
// code, was not signed in and has no entry.
func (s *Service) deleteSession(ctx context.Context, tokenHash []byte, personID string, reason audit.Reason) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		var of Person
		var signedIn bool
		err := tx.QueryRow(ctx, `/* identity.deleteSession */
			delete from sessions s using users u where u.id = s.user_id and s.token_hash = $1 and $2 in ('', u.id::text)
			returning s.expires_at > $3 and not s.second_step_due, `+personColumns, tokenHash, personID, s.clock()).
			Scan(append([]any{&signedIn}, of.fields()...)...)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !signedIn {
			return nil
		}
		if err != nil {
			return fmt.Errorf("identity: end a session: %w", err)
		}
		return s.record(ctx, tx, of, event{action: audit.SessionsEnded, reason: reason})
	})
}

// TakeNotice returns what was just changed in the session, once, or "". A session that has ended has none.
func (s *Service) TakeNotice(ctx context.Context, token string) (notice Notice, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.takeNotice */
		with taken as (select token_hash, notice from sessions where token_hash = $1 and expires_at > $2 and notice is not null for update)
		update sessions s set notice = null from taken t where s.token_hash = t.token_hash returning t.notice`,
		hashToken(token), s.clock()).Scan(&notice)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("identity: take a notice: %w", err)
	}
	return notice, nil
}
