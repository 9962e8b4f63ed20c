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

// Stage is when dg serve makes a check: before it opens the database, with a server, and with a
// schema. Commands of the operator need the first two of a database only.
type Stage int

// The stages.
const (
	Machine Stage = iota
	Server
	Schema
	Serving
)

// check is a check by name, with the stage of the start in which dg serve makes it.
type check struct {
	stage Stage
	name  string
	find  func(context.Context, *Subject) ([]Finding, error)
}

// checks are in the order in which they are made. A failure of a database check ends them.
var checks = []check{
	{Machine, "settings", findSettings},
	{Machine, "address", findAddresses},
	{Machine, "folder", findFolder},
	{Server, "database", findDatabase},
	{Server, "owner", findOwner},
	{Schema, "schema", checkSQL("schema")},
	{Serving, "rights", checkSQL("rights")},
	{Serving, "secrets", findSecrets},
	{Serving, "replicas", findReplicas},
}

//go:embed sql
var queries embed.FS

// checkSQL returns a check that runs a query as the serving role.
func checkSQL(name string) func(context.Context, *Subject) ([]Finding, error) {
	return func(ctx context.Context, s *Subject) ([]Finding, error) {
		return s.query(ctx, s.db, name)
	}
}

// query runs a query that returns one row for each fault.
func (s *Subject) query(ctx context.Context, db *postgres.DB, name string) ([]Finding, error) {
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

// knownVersion is the version of this program's last migration. Versions count from 1 without gaps.
func knownVersion() int {
	names, _ := fs.Glob(migrations.FS, "*.sql") // the pattern is right
	return len(names)
}
