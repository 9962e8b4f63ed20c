package postgres

import (
	"context"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// applyGrants applies fsys's grants in one transaction: no request sees the role without its rights.
// A role that migrates and serves keeps an owner's.
func applyGrants(ctx context.Context, pool *pgxpool.Pool, fsys fs.FS, role string) error {
	files, err := fs.Glob(fsys, "grants/*.sql")
	if err != nil {
		return err
	}
	quotedRole := pgx.Identifier{role}.Sanitize()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var isOwner bool
		err := tx.QueryRow(ctx, "/* postgres.grants */ select current_user = $1", role).Scan(&isOwner)
		if err != nil || isOwner {
			return err
		}
		for _, name := range files {
			template, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, strings.ReplaceAll(string(template), ":role", quotedRole)); err != nil {
				return err
			}
		}
		return nil
	})
}
