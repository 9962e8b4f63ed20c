package identity

import (
	"context"

	"github.com/google/uuid"

	"dg/platform/postgres"
)

// UnreadableSecrets counts the stored secrets of two-step verification that none of the keys opens. It changes nothing.
func UnreadableSecrets(ctx context.Context, db *postgres.DB, keys Keyring) (unreadable int, err error) {
	for after := uuid.Nil.String(); ; {
		batch, err := staleSecrets(ctx, db, keys, after)
		if err != nil || len(batch) == 0 {
			return unreadable, err
		}
		for _, r := range batch {
			if _, err := keys.open(r.ID, *r.TOTPSecret); err != nil {
				unreadable++
			}
		}
		after = batch[len(batch)-1].ID
	}
}
