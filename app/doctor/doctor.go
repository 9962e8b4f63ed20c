// Package doctor checks settings, machine and database, and says how to fix what is wrong. It
// changes nothing. dg doctor and a starting dg serve run the same checks; a failure stops dg serve.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"dg/platform/config"
	"dg/platform/postgres"
)

// Installation is what the checks examine. The caller must call Close.
type Installation struct {
	config.Serve
	Unknown     []string // variables that look like settings but are not
	ServeMayRun bool     // whether a running dg serve may hold the addresses
	ServingURL  string
	Tell        func(v Verdict, check, says string) // says what is wrong, and how to fix it

	db   *postgres.DB // of the serving role
	name string       // database name and system identifier
}

// Close closes the connection that checkDatabase opened, if any.
func (s *Installation) Close() {
	if s.db != nil {
		s.db.Close()
	}
}

// Verdict is how serious a finding is.
type Verdict string

// The verdicts. A failure keeps dg serve from starting; a warning does not.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Failure Verdict = "failure"
)

// Run runs the checks of the lists until one fails, and returns its error. It tells the result of
// each check.
func (s *Installation) Run(ctx context.Context, lists ...[]check) error {
	for _, c := range slices.Concat(lists...) {
		warnings, err := c.run(ctx, s)
		for _, warning := range warnings {
			s.Tell(Warning, c.name, warning)
		}
		if err != nil {
			err = explain(err)
			s.Tell(Failure, c.name, err.Error())
			return err
		}
		if len(warnings) == 0 {
			s.Tell(OK, c.name, "")
		}
	}
	return nil
}

// fixes maps SQLSTATEs to advice. The texts of other errors contain theirs.
var fixes = map[string]string{
	"08P01": "if a pooler leads there, set DG_DATABASE_POOLER, and let DG_MIGRATE_DATABASE_URL lead to " +
		"PostgreSQL itself",
	"28000": "correct the role of the URL, and let pg_hba.conf admit it from this machine",
	"28P01": "correct the password in the URL, with special characters percent-encoded",
	"3D000": "correct the database in the URL: roles.sh creates one",
	"42501": "run dg migrate, which grants what is missing",
	"42P01": "the database has no schema yet: start dg serve, or run dg migrate",
	"53100": "free some room on the disk of the database",
	"53300": "raise max_connections of PostgreSQL, or lower DG_POOL_REQUESTS",
}

func explain(err error) error {
	if e, is := errors.AsType[*pgconn.PgError](err); is && fixes[e.Code] != "" {
		return fmt.Errorf("%w: %s", err, fixes[e.Code])
	}
	return err
}
