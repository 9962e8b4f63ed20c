package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Notice is what has just been changed in a session, as the event that was recorded of it. It is kept with the session, and
// not in an address, which anybody can write.
type Notice = EventKind

// TakeNotice returns what has just been changed in the session, once, or "". A session that has ended has none.
func (s *Service) TakeNotice(ctx context.Context, token string) (Notice, error) {
	var notice Notice
	err := s.db.Pool.QueryRow(ctx, `/* identity.takeNotice */
		with taken as (select token_hash, notice from sessions where token_hash = $1 and expires_at > $2 and notice is not null for update)
		update sessions s set notice = null from taken t where s.token_hash = t.token_hash returning t.notice`,
		hashToken(token), s.clock()).Scan(&notice)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("identity: take a notice: %w", err)
	}
	return notice, nil
}

func leaveNotice(ctx context.Context, tx pgx.Tx, token string, notice Notice) error {
	_, err := tx.Exec(ctx, `/* identity.leaveNotice */ update sessions set notice = $2 where token_hash = $1`, hashToken(token), notice)
	if err != nil {
		return fmt.Errorf("identity: leave a notice: %w", err)
	}
	return nil
}
