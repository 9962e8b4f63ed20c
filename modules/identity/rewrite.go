package identity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Rewritten is what RewriteSecrets did: the secrets that it encrypted with the current key, and those that no key opens.
type Rewritten struct{ Encrypted, Unreadable int }

// rewriteBatch bounds how many secrets are in memory at once.
const rewriteBatch = 500

// RewriteSecrets encrypts with the current key every secret of two-step verification that is in clear or under the
// previous key. Without a current key it only counts the encrypted ones that no key opens. Sessions and recovery codes
// stay. The pool connects as the owner of the tables; several programs may do so at once.
func RewriteSecrets(ctx context.Context, pool *pgxpool.Pool, keys Keyring) (done Rewritten, err error) {
	written := "v1.%" // what is left alone
	if keys.current != nil {
		written = keys.current.prefix() + "%"
	}
	after := "00000000-0000-0000-0000-000000000000"
	for {
		batch, err := storedSecrets(ctx, pool, keys.current != nil, written, after)
		if err != nil || len(batch) == 0 {
			return done, err
		}
		after = batch[len(batch)-1].personID
		if err := rewrite(ctx, pool, keys, batch, &done); err != nil {
			return done, err
		}
	}
}

// storedSecret is a person's secret as it is stored.
type storedSecret struct{ personID, stored string }

// storedSecrets returns the next secrets whose form is not the written one, or, where nothing is encrypted, is.
func storedSecrets(ctx context.Context, pool *pgxpool.Pool, encrypts bool, written, after string) ([]storedSecret, error) {
	rows, err := pool.Query(ctx, `/* identity.storedSecrets */
		select id::text, totp_secret from users
		 where totp_secret is not null and (totp_secret like $1) <> $2 and id > $3::uuid order by id limit $4`,
		written, encrypts, after, rewriteBatch)
	if err != nil {
		return nil, fmt.Errorf("identity: stored secrets: %w", err)
	}
	batch, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s storedSecret, err error) {
		return s, row.Scan(&s.personID, &s.stored)
	})
	if err != nil {
		return nil, fmt.Errorf("identity: stored secrets: %w", err)
	}
	return batch, nil
}

func rewrite(ctx context.Context, pool *pgxpool.Pool, keys Keyring, batch []storedSecret, done *Rewritten) error {
	var ids, old, sealed []string
	for _, s := range batch {
		secret, err := keys.open(s.personID, s.stored)
		if err != nil {
			done.Unreadable++
			continue
		}
		if keys.current != nil {
			ids, old, sealed = append(ids, s.personID), append(old, s.stored), append(sealed, keys.seal(s.personID, secret))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rewritten, err := pool.Exec(ctx, `/* identity.rewriteSecrets */
		update users u set totp_secret = n.sealed, totp_rewritten = u.totp_rewritten + 1
		  from unnest($1::uuid[], $2::text[], $3::text[]) n (id, old, sealed) where u.id = n.id and u.totp_secret = n.old`, ids, old, sealed)
	if err != nil {
		return fmt.Errorf("identity: rewrite secrets: %w", err)
	}
	done.Encrypted += int(rewritten.RowsAffected())
	return nil
}
