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

// Stage is when dg serve runs a check: Machine before it opens the database, Server before it
// migrates, Schema and Serving afterwards. openOperator runs Server and Schema only.
type Stage int

// The stages.
const (
	Machine Stage = iota
	Server
	Schema
	Serving
)

// The name of a check is that of most of its findings, and may select their fix.
type check struct {
	stage Stage
	name  string
	run   func(context.Context, *Installation) ([]Finding, error)
}

// checks are in order: checkDatabase opens the database for the later ones.
var checks = []check{
	{Machine, "settings", checkSettings},
	{Machine, "address", checkAddresses},
	{Machine, "folder", checkFolder},
	{Server, "database", checkDatabase},
	{Server, "owner", checkOwner},
	{Schema, "schema", checkSQL("schema")},
	{Serving, "rights", checkSQL("rights")},
	{Serving, "secrets", checkSecrets},
	{Serving, "demo", checkDemo},
	{Serving, "replicas", checkReplicas},
}

//go:embed sql
var queries embed.FS

func checkSQL(name string) func(context.Context, *Installation) ([]Finding, error) {
	return func(ctx context.Context, s *Installation) ([]Finding, error) {
		return s.query(ctx, s.db, name)
	}
}

// query runs a query that returns a row for each fault: verdict, what is wrong, and the fix.
func (s *Installation) query(ctx context.Context, db *postgres.DB, name string) ([]Finding, error) {
	sql, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return nil, err
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
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Finding, _ error) {
		f.Check = name
		return f, row.Scan(&f.Verdict, &f.Says, &f.Fix)
	})
}

// knownVersion counts the files: versions count from 1 without gaps.
func knownVersion() int {
	names, _ := fs.Glob(migrations.FS, "*.sql") // fails only for a malformed pattern
	return len(names)
}
