package identity

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// OpenSession is one of a person's sessions as the person sees it. Its ID is no secret: it lets nobody in.
type OpenSession struct {
	ID                    string
	Client                Client
	StartedAt, LastUsedAt time.Time
	Current               bool // the one that asks
}

// Sessions returns the sessions of the session's person that are signed in, itself first, then the last used: at most 100, the bound
// of a person's sessions. Errors: ErrNoSession.
func (s *Service) Sessions(ctx context.Context, token string) ([]OpenSession, error) {
	now := s.clock()
	own, err := s.whole(ctx, token, now)
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
	open, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o OpenSession, err error) {
		return o, row.Scan(&o.ID, &o.Client.Address, &o.Client.UserAgent, &o.StartedAt, &o.LastUsedAt, &o.Current)
	})
	if err != nil {
		return nil, fmt.Errorf("identity: sessions: %w", err)
	}
	return open, nil
}

// EndSession ends one of the sessions of the session's person; one that has ended already, or is somebody else's, is left
// as it is. Errors: ErrNoSession.
func (s *Service) EndSession(ctx context.Context, token, id string) error {
	own, err := s.whole(ctx, token, s.clock())
	if err != nil {
		return err
	}
	hash, err := hex.DecodeString(id)
	if err != nil {
		return nil //nolint:nilerr // no session has such an id
	}
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		ended, err := tx.Exec(ctx, `/* identity.endSession */
			delete from sessions where token_hash = $1 and user_id = $2`, hash, own.Person.ID)
		if err != nil {
			return fmt.Errorf("identity: end a session: %w", err)
		}
		if ended.RowsAffected() == 0 {
			return nil
		}
		return s.record(ctx, tx, own.Person, SessionsEnded)
	})
}

// whole is the session of the token unless it still is due its code.
func (s *Service) whole(ctx context.Context, token string, now time.Time) (Session, error) {
	own, _, err := s.session(ctx, token, now)
	if err == nil && own.SecondStepDue {
		err = ErrNoSession
	}
	return own, err
}
