package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Reencrypted is the result of ReencryptSecrets: how many secrets are now encrypted with the current key, and how many no
// key opens.
type Reencrypted struct{ Encrypted, Unreadable int }

// secretBatch bounds how many secrets are in memory at once.
const secretBatch = 500

// ReencryptSecrets encrypts with the current key every secret of two-step verification that is in clear or under the previous
// key. Without a current key it only counts the encrypted ones that no key opens. Sessions and recovery codes stay. The pool
// connects as the owner of the tables; several programs may do so concurrently.
func ReencryptSecrets(ctx context.Context, pool *pgxpool.Pool, keys Keyring) (total Reencrypted, err error) {
	for after := uuid.Nil.String(); ; {
		batch, err := staleSecrets(ctx, pool, keys, after)
		if err != nil || len(batch) == 0 {
			return total, err
		}
		done, err := reencrypt(ctx, pool, keys, batch)
		if err != nil {
			return total, err
		}
		total.Encrypted, total.Unreadable = total.Encrypted+done.Encrypted, total.Unreadable+done.Unreadable
		after = batch[len(batch)-1].personID
	}
}

type storedSecret struct{ personID, sealed string }

// staleSecrets returns the next secrets that the current key did not encrypt or, without one, that are encrypted.
func staleSecrets(ctx context.Context, pool *pgxpool.Pool, keys Keyring, after string) ([]storedSecret, error) {
	rows, err := pool.Query(ctx, `/* identity.staleSecrets */
		select id::text, totp_secret from users
		 where totp_secret is not null and (totp_secret like $1 || '%') <> $2 and id > $3::uuid order by id limit $4`,
		keys.currentPrefix(), keys.Encrypts(), after, secretBatch)
	if err != nil {
		return nil, fmt.Errorf("identity: stale secrets: %w", err)
	}
	batch, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s storedSecret, err error) {
		return s, row.Scan(&s.personID, &s.sealed)
	})
	if err != nil {
		return nil, fmt.Errorf("identity: stale secrets: %w", err)
	}
	return batch, nil
}

func reencrypt(ctx context.Context, pool *pgxpool.Pool, keys Keyring, batch []storedSecret) (done Reencrypted, err error) {
	var ids, old, sealed []string
	for _, s := range batch {
		secret, err := keys.open(s.personID, s.sealed)
		if err != nil {
			done.Unreadable++
			continue
		}
		ids, old, sealed = append(ids, s.personID), append(old, s.sealed), append(sealed, keys.seal(s.personID, secret))
	}
	if !keys.Encrypts() {
		return done, nil
	}
	updated, err := pool.Exec(ctx, `/* identity.reencrypt */
		update users u set totp_secret = n.sealed, totp_rewritten = u.totp_rewritten + 1
		  from unnest($1::uuid[], $2::text[], $3::text[]) n (id, old, sealed) where u.id = n.id and u.totp_secret = n.old`, ids, old, sealed)
	if err != nil {
		return done, fmt.Errorf("identity: re-encrypt secrets: %w", err)
	}
	done.Encrypted = int(updated.RowsAffected())
	return done, nil
}
