package doctor

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/migrations"
	"dg/platform/postgres"
)

// Stage is when dg serve makes a check.
type Stage int

// The stages: before it opens the database, with a server, and with a schema.
const (
	Machine Stage = iota
	Server
	Schema
)

// check is a row of the table.
type check struct {
	stage Stage
	name  string
	find  func(context.Context, *Subject) []Finding
}

// checks is the table. What follows a check of the database with a failure is not checked.
var checks = []check{
	{Machine, "settings", findSettings},
	{Machine, "address", findAddresses},
	{Machine, "folder", findFolder},
	{Server, "database", findDatabase},
	{Server, "owner", findOwner},
	{Schema, "schema", ask("schema")},
	{Schema, "rights", ask("rights")},
	{Schema, "secrets", findSecrets},
	{Schema, "replicas", findReplicas},
}

//go:embed sql
var queries embed.FS

// ask makes a check of a query as the serving role.
func ask(name string) func(context.Context, *Subject) []Finding {
	return func(ctx context.Context, s *Subject) []Finding { return s.ask(ctx, s.db, name) }
}

// ask runs a query, which has a row for each fault.
func (s *Subject) ask(ctx context.Context, db *postgres.DB, name string) []Finding {
	sql, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return failed(name, err)
	}
	rows, _ := db.Pool.Query(ctx, "/* doctor."+name+" */ "+string(sql), pgx.NamedArgs{
		"now":     time.Now(),
		"known":   knownVersion(),
		"setting": s.ownerSetting(),
		"serving": s.name,
		"alone":   !s.Embedded() && s.MigrateDatabaseURL == "",
		"apart": "Give DG_DATABASE_URL a role of its own that owns nothing, and " +
			"DG_MIGRATE_DATABASE_URL the owner's; then run dg migrate.",
	})
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Finding, _ error) {
		f.Check = name
		return f, row.Scan(&f.Verdict, &f.Says, &f.Fix)
	})
	if err != nil {
		return failed(name, err)
	}
	return found
}

// knownVersion is that of this program's last migration: they are numbered from 1.
func knownVersion() int {
	names, _ := fs.Glob(migrations.FS, "*.sql") // the pattern is right
	return len(names)
}
