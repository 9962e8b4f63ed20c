package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The bounds of known browsers.
const (
	maxBrowsers     = 20                   // of a person
	KnownBrowserTTL = 180 * 24 * time.Hour // after the last sign-in
)

// RememberBrowser makes the session's browser a known one and returns the token for its cookie: the given one where it is
// known for this person already. The token signs nobody in.
func (s *Service) RememberBrowser(ctx context.Context, of Session, token string) (string, error) {
	now := s.clock()
	err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		known, err := tx.Exec(ctx, `/* identity.touchBrowser */
			update known_browsers set last_used_at = $3 where token_hash = $1 and user_id = $2`, hashToken(token), of.Person.ID, now)
		if err != nil || known.RowsAffected() > 0 {
			return err
		}
		token = newToken()
		if _, err := tx.Exec(ctx, `/* identity.insertBrowser */
			insert into known_browsers (token_hash, user_id, last_used_at) values ($1, $2, $3)`, hashToken(token), of.Person.ID, now); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `/* identity.deleteExcessBrowsers */ delete from known_browsers where token_hash in
			(select token_hash from known_browsers where user_id = $1
			  order by last_used_at desc, token_hash offset $2 for update skip locked)`, of.Person.ID, maxBrowsers)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("identity: remember a browser: %w", err)
	}
	return token, nil
}
