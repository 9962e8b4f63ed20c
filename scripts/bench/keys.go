package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"dg/modules/apikeys"
)

// keyRing is enough keys of an organisation that none meets its rate, used in turn.
type keyRing struct {
	headers []string // Authorization headers
	next    atomic.Uint64
}

func (r *keyRing) header() string { return r.headers[r.next.Add(1)%uint64(len(r.headers))] }

// ring returns n keys of the organisation, made by the owner of the tables: the service would take a statement and an
// audit entry for each. Their windows are made too, as those of keys in use are.
func (b *bench) ring(ctx context.Context, organisation string, n int) (*keyRing, error) {
	if have := b.keys[organisation]; have != nil && len(have.headers) >= n {
		return have, nil
	}
	r := &keyRing{}
	rows := make([][]any, n)
	for i := range rows {
		token, err := apikeys.NewToken(rand.Reader)
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256([]byte(token.Secret))
		r.headers = append(r.headers, "Bearer "+token.String())
		rows[i] = []any{token.ID, organisation, "bench", []string{"forks:read", "reports:read"}, hash[:], b.began, "bench", "bench"}
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
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"api_keys"},
			[]string{"id", "org_id", "name", "scopes", "secret_hash", "created_at", "created_by", "creator_name"}, pgx.CopyFromRows(rows))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `/* bench.keys */ insert into api_key_windows (key_id, refused)
			select id, refused from api_keys, (values (false), (true)) r (refused) where org_id = $1`, organisation)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make keys: %w", err)
	}
	b.keys[organisation] = r
	_, err = b.owner.Exec(ctx, `/* bench.keys */ vacuum (analyze) api_keys, api_key_windows`)
	return r, err
}
