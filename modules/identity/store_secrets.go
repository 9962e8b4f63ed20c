package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dg/platform/postgres"
)

// Reencrypted is the result of ReencryptSecrets: how many secrets are now encrypted with the current key, and how many no
// key opens.
type Reencrypted struct{ Encrypted, Unreadable int }

// secretBatch bounds how many secrets are in memory at once.
const secretBatch = 500

// ReencryptSecrets encrypts with the current key every secret of two-step verification that is in clear or under the previous
// key. Without a current key it only counts the encrypted ones that no key opens. Sessions and recovery codes stay. The pool
// connects as the owner of the tables; several programs may do so concurrently.
func ReencryptSecrets(ctx context.Context, db *postgres.DB, keys Keyring) (total Reencrypted, err error) {
	for after := uuid.Nil.String(); ; {
		batch, err := staleSecrets(ctx, db, keys, after)
		if err != nil || len(batch) == 0 {
			return total, err
		}
		done, err := reencrypt(ctx, db, keys, batch)
		if err != nil {
			return total, err
		}
		total.Encrypted, total.Unreadable = total.Encrypted+done.Encrypted, total.Unreadable+done.Unreadable
		after = batch[len(batch)-1].ID
	}
}

// staleSecrets returns the next people whose secret the current key did not encrypt or, without one, is encrypted.
func staleSecrets(ctx context.Context, db *postgres.DB, keys Keyring, after string) (batch []userRow, err error) {
	err = db.Gorm.WithContext(ctx).Scopes(postgres.Tag("identity.staleSecrets")).Select("id", "totp_secret").
		Where("(totp_secret like ? || '%') <> ? and id > ?", keys.currentPrefix(), keys.Encrypts(), after). // not where it is null
		Order("id").Limit(secretBatch).Find(&batch).Error
	if err != nil {
		return nil, fmt.Errorf("identity: stale secrets: %w", err)
	}
	return batch, nil
}

func reencrypt(ctx context.Context, db *postgres.DB, keys Keyring, batch []userRow) (done Reencrypted, err error) {
	var ids, old, sealed []string
	for _, r := range batch {
		secret, err := keys.open(r.ID, *r.TOTPSecret)
		if err != nil {
			done.Unreadable++
			continue
		}
		ids, old, sealed = append(ids, r.ID), append(old, *r.TOTPSecret), append(sealed, keys.seal(r.ID, secret))
	}
	if !keys.Encrypts() {
		return done, nil
	}
	// By hand: one statement for the batch.
	updated := db.Gorm.WithContext(ctx).Exec(`/* identity.reencrypt */
		update users u set totp_secret = n.sealed, totp_rewritten = u.totp_rewritten + 1
		  from unnest($1::uuid[], $2::text[], $3::text[]) n (id, old, sealed) where u.id = n.id and u.totp_secret = n.old`, ids, old, sealed)
	if updated.Error != nil {
		return done, fmt.Errorf("identity: re-encrypt secrets: %w", updated.Error)
	}
	done.Encrypted = int(updated.RowsAffected)
	return done, nil
}
