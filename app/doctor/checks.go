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

type check struct {
	name string
	run  func(context.Context, *Installation) ([]Finding, error)
}

// The checks, by when dg serve runs them: Machine before it opens the database, Server before it
// migrates, Schema and Serving afterwards. checkDatabase opens the database for the later ones.
var (
	Machine = []check{{"settings", checkSettings}, {"address", checkAddresses}, {"folder", checkFolder}}
	Server  = []check{{"database", checkDatabase}, {"owner", checkOwner}}
	Schema  = []check{{"schema", checkSQL("schema")}}
	Serving = []check{
		{"rights", checkSQL("rights")},
		{"secrets", checkSecrets},
		{"demo", checkDemo},
		{"replicas", checkReplicas},
	}
)

//go:embed sql
var queries embed.FS

func checkSQL(name string) func(context.Context, *Installation) ([]Finding, error) {
	return func(ctx context.Context, s *Installation) ([]Finding, error) {
		return s.query(ctx, s.db, name)
	}
}

// query runs a query that returns a row for each fault.
func (s *Installation) query(ctx context.Context, db *postgres.DB, name string) ([]Finding, error) {
	sql, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return nil, err
	}
	versions, _ := fs.Glob(migrations.FS, "*.sql") // they count from 1 without gaps
	rows, _ := db.Pool.Query(ctx, "/* doctor."+name+" */ "+string(sql), pgx.NamedArgs{
		"now":     time.Now(),
		"known":   len(versions),
		"serving": s.name,
		"alone":   s.MigrateDatabaseURL == "",
	})
	return pgx.CollectRows(rows, pgx.RowToStructByNameLax[Finding])
}
