// Package doctor checks settings, machine and database, and says how to fix what is wrong. It
// changes nothing. dg doctor and a starting dg serve run the same checks; a failure stops dg serve.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"dg/modules/identity"
	"dg/platform/config"
	"dg/platform/postgres"
)

// Installation is what the checks examine: settings, machine and database. The caller closes it.
type Installation struct {
	config.Serve
	Unknown []string // variables that look like settings but are not
	InUse   Verdict  // of an address in use: dg doctor may run beside dg serve
	URL     string   // of the serving role; "": Run runs stage Machine only
	Logger  *slog.Logger

	db   *postgres.DB // of the serving role
	name string       // database name and system identifier
}

// Close closes the connections of the checks, if there are any.
func (s *Installation) Close() {
	if s.db != nil {
		s.db.Close()
	}
}

// Run runs the checks of the stages, in the order of checks. Without a URL it runs those of stage
// Machine only. It stops after a check of the database that fails or finds no schema.
func (s *Installation) Run(ctx context.Context, stages ...Stage) (findings []Finding) {
	for _, c := range checks {
		if !slices.Contains(stages, c.stage) || c.stage != Machine && s.URL == "" {
			continue
		}
		found, err := c.run(ctx, s)
		if err != nil {
			found = []Finding{failed(c.name, err)}
		}
		if len(found) == 0 {
			found = []Finding{{Check: c.name, Verdict: OK}}
		}
		findings = append(findings, found...)
		if c.stage != Machine && slices.ContainsFunc(found, func(f Finding) bool {
			return f.Verdict == Failure || f.Says == noSchema
		}) {
			break // later checks may need what has failed
		}
	}
	return findings
}

// Require returns the first failure of the stages. A schema that dg serve would migrate fails, too.
func (s *Installation) Require(ctx context.Context, stages ...Stage) error {
	for _, f := range s.Run(ctx, stages...) {
		if f.Verdict == Failure || f.Check == "schema" && f.Verdict == Warning {
			return f.Err()
		}
	}
	return nil
}

// Verdict is how serious a finding is.
type Verdict string

// The verdicts. A failure keeps dg serve from starting; a warning does not.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Failure Verdict = "failure"
)

// Finding is a result of a check, which may have several.
type Finding struct {
	Check   string
	Verdict Verdict
	Says    string
	Fix     string // what to do; empty for OK
}

// Err returns the finding as an error: what is wrong, then the fix. The finding must have a fix.
func (f Finding) Err() error {
	return fmt.Errorf("%s: %s", f.Says, strings.ToLower(f.Fix[:1])+strings.TrimSuffix(f.Fix[1:], "."))
}

// fixes are by SQLSTATE or else by check; "" is for any other error.
var fixes = map[string]string{
	"": "Check the setting, that PostgreSQL runs, and that its network admits this machine.",
	"08P01": "If a pooler leads there, set DG_DATABASE_POOLER, and let DG_MIGRATE_DATABASE_URL lead to " +
		"PostgreSQL itself.",
	"28000": "Correct the role of the URL, and let pg_hba.conf admit it from this machine.",
	"28P01": "Correct the password in the URL, with special characters percent-encoded.",
	"3D000": "Correct the database in the URL: roles.sh creates one.",
	"42501": "Run dg migrate, which grants what is missing.",
	"53100": "Free some room on the disk of the database.",
	"53300": "Raise max_connections of PostgreSQL, or lower DG_POOL_REQUESTS.",
	"57P03": "Wait until PostgreSQL has started.",

	"demo": "Use another database, or serve this one where DG_ADDR and DG_BASE_URL are loopback " +
		"addresses, and change these passwords there (dg account reset).",
	"folder":   "Set DG_DATA_DIR to a folder of this user, or DG_DATABASE_URL to a server.",
	"replicas": "Correct DG_DATABASE_REPLICA_URLS.",
}

const noSchema = "the database has no schema yet"

// failed makes a missing schema a warning: dg serve creates it.
func failed(check string, err error) Finding {
	if session, is := errors.AsType[*postgres.SessionError](err); is {
		return Finding{"pooler", Failure, session.Problem,
			strings.ToUpper(session.Fix[:1]) + session.Fix[1:] + "."}
	}
	if errors.Is(err, identity.ErrSecretKey) {
		return Finding{check, Failure, "the database has another secret key",
			"Set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it. " +
				"If it is lost: dg migrate --forget-secret-key."}
	}
	code := ""
	if e, is := errors.AsType[*pgconn.PgError](err); is {
		code = e.Code
	}
	if code == "42P01" {
		return Finding{check, Warning, noSchema, "Start dg serve, or run dg migrate."}
	}
	return Finding{check, Failure, err.Error(), cmp.Or(fixes[cmp.Or(code, check)], fixes[""])}
}

// Enforce logs the warnings and returns the failures as one error.
func Enforce(log *slog.Logger, findings []Finding) (err error) {
	for _, f := range findings {
		switch f.Verdict {
		case Warning:
			log.Warn(f.Says, "check", f.Check, "fix", f.Fix)
		case Failure:
			err = errors.Join(err, f.Err())
		}
	}
	return err
}

// Print writes the findings, each with its fix below, and returns how many are failures.
func Print(w io.Writer, findings []Finding) (failures int) {
	for _, f := range findings {
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("%-8s %-12s %s", f.Verdict, f.Check, f.Says)))
		if f.Fix != "" {
			fmt.Fprintf(w, "%21s Fix: %s\n", "", f.Fix)
		}
		if f.Verdict == Failure {
			failures++
		}
	}
	return failures
}
