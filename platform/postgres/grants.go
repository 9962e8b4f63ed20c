package postgres

import (
	"context"
	"database/sql"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
)

// applyGrants applies fsys's grants in one transaction: no request sees the role without its rights.
func applyGrants(ctx context.Context, db *sql.DB, fsys fs.FS, role string) error {
	files, err := fs.Glob(fsys, "grants/*.sql")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	quoted := pgx.Identifier{role}.Sanitize()
	for _, name := range files {
		template, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		statements := strings.ReplaceAll(string(template), ":role", quoted)
		if _, err := tx.ExecContext(ctx, statements); err != nil {
			return err
		}
	}
	return tx.Commit()
}
