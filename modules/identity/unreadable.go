package identity

import (
	"context"

	"github.com/google/uuid"

	"dg/platform/postgres"
)

// UnreadableSecrets counts the stored secrets of two-step verification that none of the keys opens.
// It changes nothing.
func UnreadableSecrets(
	ctx context.Context, db *postgres.DB, keys Keyring,
) (unreadable int, err error) {
	var check storedCheck
	if keys.Encrypts() { // otherwise one in clear can be read, and an old schema has no check value
		if check, err = readCheckValue(ctx, db); err != nil {
			return 0, err
		}
	}
	for after := uuid.Nil.String(); ; {
		batch, err := staleSecrets(ctx, db, keys, after)
		if err != nil || len(batch) == 0 {
			return unreadable, err
		}
		for _, r := range batch {
			if _, err := r.secret(keys, check.Value != ""); err != nil {
				unreadable++
			}
		}
		after = batch[len(batch)-1].ID
	}
}
