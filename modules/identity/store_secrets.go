package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dg/platform/postgres"
)

// Reencrypted is the result of ReencryptSecrets.
type Reencrypted struct {
	Encrypted, Unreadable int  // secrets
	Recorded              bool // the database's check value is the current key's
}

// secretBatch bounds how many secrets are in memory at once.
const secretBatch = 500

// ReencryptSecrets encrypts with the current key every secret of two-step verification that is
// under the previous key or, until the database has a check value, in clear. Sessions and recovery
// codes stay. Then it records the check value, unless the first start finds secrets that no key
// decrypts: its key may be the wrong one. Without a current key it only counts those secrets. The
// pool connects as the owner of the tables; several programs may run it concurrently. Errors:
// ErrSecretKey.
func ReencryptSecrets(
	ctx context.Context, db *postgres.DB, keys Keyring,
) (total Reencrypted, err error) {
	encrypted, err := CheckSecretKey(ctx, db, keys)
	if err != nil {
		return total, err
	}
	err = eachStale(ctx, db, keys, func(batch []userRow) error {
		done, err := reencrypt(ctx, db, keys, batch, encrypted)
		total.Encrypted += done.Encrypted
		total.Unreadable += done.Unreadable
		return err
	})
	if err != nil {
		return total, err
	}
	if keys.Encrypts() && (encrypted || total.Unreadable == 0) {
		total.Recorded, err = recordKey(ctx, db, keys)
	}
	return total, err
}

// UnreadableSecrets counts the stored secrets that none of the keys decrypts.
func UnreadableSecrets(
	ctx context.Context, db *postgres.DB, keys Keyring,
) (unreadable int, err error) {
	var check storedCheck
	if keys.Encrypts() { // otherwise clear secrets can be read; an old schema has no check value
		if check, err = readCheckValue(ctx, db); err != nil {
			return 0, err
		}
	}
	err = eachStale(ctx, db, keys, func(batch []userRow) error {
		for _, r := range batch {
			if _, err := r.secret(keys, check.Value != ""); err != nil {
				unreadable++
			}
		}
		return nil
	})
	return unreadable, err
}

// eachStale calls fn, a batch at a time, with the people whose secret is not under the current key
// or, without one, is encrypted.
func eachStale(
	ctx context.Context, db *postgres.DB, keys Keyring, fn func(batch []userRow) error,
) error {
	for after := uuid.Nil.String(); ; {
		var batch []userRow
		err := db.Gorm.WithContext(ctx).Scopes(postgres.Tag("identity.staleSecrets")).
			Select("id", "totp_secret").
			// false where the secret is null
			Where("(totp_secret like ? || '%') <> ? and id > ?", keys.currentPrefix(),
				keys.Encrypts(), after).
			Order("id").Limit(secretBatch).Find(&batch).Error
		if err != nil {
			return fmt.Errorf("identity: stale secrets: %w", err)
		}
		if len(batch) == 0 {
			return nil
		}
		if err := fn(batch); err != nil {
			return err
		}
		after = batch[len(batch)-1].ID
	}
}

func reencrypt(
	ctx context.Context, db *postgres.DB, keys Keyring, batch []userRow, encrypted bool,
) (done Reencrypted, err error) {
	var ids, old, rewritten []string
	for _, r := range batch {
		secret, err := r.secret(keys, encrypted)
		if err != nil {
			done.Unreadable++
			continue
		}
		ids = append(ids, r.ID)
		old = append(old, *r.TOTPSecret)
		rewritten = append(rewritten, keys.encrypt(r.ID, secret))
	}
	if !keys.Encrypts() {
		return done, nil
	}
	// By hand: one statement for the batch.
	updated := db.Gorm.WithContext(ctx).Scopes(ofPeople).Exec(`/* identity.reencrypt */
		update users u set totp_secret = n.rewritten, totp_rewritten = u.totp_rewritten + 1
		  from unnest($1::uuid[], $2::text[], $3::text[]) n (id, old, rewritten)
		    where u.id = n.id and u.totp_secret = n.old`,
		ids, old, rewritten)
	if updated.Error != nil {
		return done, fmt.Errorf("identity: re-encrypt secrets: %w", updated.Error)
	}
	done.Encrypted = int(updated.RowsAffected)
	return done, nil
}

// secret decrypts the row's secret. encrypted says that clear ones are refused.
func (r userRow) secret(keys Keyring, encrypted bool) (string, error) {
	if !encrypted && !isEncrypted(*r.TOTPSecret) {
		return *r.TOTPSecret, nil
	}
	return keys.decrypt(r.ID, *r.TOTPSecret)
}
