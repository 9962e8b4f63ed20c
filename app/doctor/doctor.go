// Package doctor checks settings, machine and database, and says how to fix what is wrong. It
// changes nothing. dg doctor and a starting dg serve run the same checks; a failure stops dg serve.
package doctor

import (
	"context"
	"slices"

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
