package doctor

import (
	"context"
	"embed"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/postgres"
)

type check struct {
	name string
	run  func(context.Context, *Installation) (warnings []string, _ error)
}

// The lists of checks. dg serve runs Machine before it opens the database, Server before it
// migrates, then Schema and Serving. checkDatabase opens the connection that later checks use.
var (
	Machine = []check{{"settings", checkSettings}, {"address", checkAddresses}, {"folder", checkFolder}}
	Server  = []check{{"database", checkDatabase}, {"owner", checkOwner}}
	Schema  = []check{{"schema", checkSchema}}
	Serving = []check{
		{"rights", checkSQL("rights")},
		{"secrets", checkSecrets},
		{"e-mails", checkEmails},
		{"demo", checkDemo},
		{"replicas", checkReplicas},
	}
)

//go:embed sql
var queries embed.FS

func checkSQL(name string) func(context.Context, *Installation) ([]string, error) {
	return func(ctx context.Context, s *Installation) ([]string, error) {
		return s.query(ctx, s.db, name)
	}
}

// query runs a query that returns a verdict and a message for each fault.
func (s *Installation) query(
	ctx context.Context, db *postgres.DB, name string,
) (warnings []string, _ error) {
	sql, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return nil, err
	}
	rows, _ := db.Pool.Query(ctx, "/* doctor."+name+" */ "+string(sql), pgx.NamedArgs{
		"now":     time.Now(),
		"known":   len(versions()),
		"serving": s.name,
		"alone":   s.MigrateDatabaseURL == "" && !s.Embedded(),
	})
	var verdict Verdict
	var says string
	var failures []error
	_, err = pgx.ForEachRow(rows, []any{&verdict, &says}, func() error {
		if verdict == Failure {
			failures = append(failures, errors.New(says))
		} else {
			warnings = append(warnings, says)
		}
		return nil
	})
	return warnings, errors.Join(append(failures, err)...)
}
