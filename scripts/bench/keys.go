package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"dg/modules/apikeys"
)

// mainKeys is how many keys the sections use in turns, so that none reaches its rate limit.
const mainKeys = 500

// keyRing is a number of keys of an organisation, used in turns.
type keyRing struct {
	headers []string // Authorization headers
	next    atomic.Uint64
}

func (r *keyRing) header() string { return r.headers[r.next.Add(1)%uint64(len(r.headers))] }

// keysOf makes keys of the organisation, by SQL: the service takes a statement and an audit entry
// for each. Their rate windows are made too, as keys in use have them.
func (b *bench) keysOf(ctx context.Context, organisation string) (*keyRing, error) {
	if have := b.keys[organisation]; have != nil {
		return have, nil
	}
	ring := &keyRing{}
	rows := make([][]any, mainKeys)
	for i := range rows {
		token := apikeys.NewToken()
		hash := sha256.Sum256([]byte(token.Secret))
		ring.headers = append(ring.headers, "Bearer "+token.String())
		rows[i] = []any{
			token.ID, organisation, "bench", []string{"forks:read", "reports:read"}, hash[:],
			b.report.began, "bench", "bench",
		}
	}
	err := pgx.BeginFunc(ctx, b.owner, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`/* bench.keys */ delete from api_key_windows where key_id in (select id from api_keys where org_id = $1)`,
			`/* bench.keys */ delete from api_keys where org_id = $1`,
		} {
			if _, err := tx.Exec(ctx, sql, organisation); err != nil {
				return err
			}
		}
		columns := []string{
			"id", "org_id", "name", "scopes", "secret_hash", "created_at", "created_by",
			"creator_name",
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"api_keys"}, columns,
			pgx.CopyFromRows(rows)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `/* bench.keys */ insert into api_key_windows (key_id, refused)
			select id, refused from api_keys, (values (false), (true)) r (refused) where org_id = $1`,
			organisation)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make keys: %w", err)
	}
	b.keys[organisation] = ring
	_, err = b.owner.Exec(ctx, `/* bench.keys */ vacuum (analyze) api_keys, api_key_windows`)
	return ring, err
}
