package identity

import (
	"context"
	"fmt"
	"time"

	"dg/platform/postgres"
)

// The bounds of known browsers.
const (
	maxBrowsers     = 20                   // of a person
	KnownBrowserTTL = 180 * 24 * time.Hour // after the last sign-in
)

// RememberBrowser makes the session's browser a known one, and returns the token of its cookie: the
// given one if this person has signed in with it before. The token begins no session.
func (s *SignIns) RememberBrowser(ctx context.Context, of Session, token string) (string, error) {
	now := s.clock()
	err := s.inTransaction(ctx, func(tx transaction) error {
		known := tx.Scopes(postgres.Tag("identity.touchBrowser")).Model(&browserRow{}).
			Where("token_hash = ? and user_id = ?", hashToken(token), of.Person.ID).
			Update("last_used_at", now)
		if known.Error != nil || known.RowsAffected > 0 {
			return known.Error
		}
		token = newToken()
		row := browserRow{TokenHash: hashToken(token), UserID: of.Person.ID, LastUsedAt: now}
		if err := tx.Scopes(postgres.Tag("identity.insertBrowser")).Create(&row).Error; err != nil {
			return err
		}
		return deleteExcess(tx, &browserRow{}, of.Person.ID, "last_used_at desc, token_hash",
			maxBrowsers)
	})
	if err != nil {
		return "", fmt.Errorf("identity: remember a browser: %w", err)
	}
	return token, nil
}
