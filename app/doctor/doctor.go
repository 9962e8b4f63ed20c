// Package doctor checks settings, machine and database, and says how to fix what is wrong. It
// changes nothing. dg doctor and a starting dg serve run the same checks; a failure stops dg serve.
package doctor

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/app/assembly"
	"dg/app/demo"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/config"
	"dg/platform/postgres"
)

// Installation has the settings and the database to check. The caller must call Close.
type Installation struct {
	config.Serve
	UnknownVariables []string // variables that look like settings but are not
	RunByDoctor      bool     // whether dg doctor runs the checks, maybe beside dg serve
	ServingURL       string
	ServingRole      string                                 // a pooler's URL may name another; checkDatabase sets it
	OnResult         func(v Verdict, check, message string) // called with each warning, failure or success

	db           *postgres.DB // connected as the serving role
	databaseID   string       // database name and system identifier
	serveAnswers bool         // whether a dg serve answers at DG_ADDR
}

// Close closes the pool that checkDatabase opened, if any.
func (s *Installation) Close() {
	if s.db != nil {
		s.db.Close()
	}
}

// Verdict is the severity of a finding.
type Verdict string

// A failure keeps dg serve from starting; a warning does not.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Failure Verdict = "failure"
)

// Run runs the checks, and passes results to OnResult. It stops at a failure and returns its error.
func (s *Installation) Run(ctx context.Context, lists ...[]check) error {
	for _, c := range slices.Concat(lists...) {
		warnings, err := c.run(ctx, s)
		for _, warning := range warnings {
			s.OnResult(Warning, c.name, warning)
		}
		if err != nil {
			err = explain(err)
			s.OnResult(Failure, c.name, err.Error())
			return err
		}
		if len(warnings) == 0 {
			s.OnResult(OK, c.name, "")
		}
	}
	return nil
}

type check struct {
	name string
	run  func(context.Context, *Installation) (warnings []string, _ error)
}

// dg serve runs MachineChecks before it opens the database, ServerChecks before it migrates, then
// SchemaChecks and ServingChecks. checkDatabase opens the pool that later checks use.
var (
	MachineChecks = []check{{"settings", checkSettings}, {"address", checkAddresses}, {"folder", checkFolder}}
	ServerChecks  = []check{{"database", checkDatabase}, {"owner", checkOwner}}
	SchemaChecks  = []check{{"schema", checkSchema}}
	ServingChecks = []check{
		{"rights", checkRights},
		{"secrets", checkSecrets},
		{"e-mails", checkEmails},
		{"demo", checkDemo},
		{"replicas", checkReplicas},
	}
)

//go:embed sql
var queries embed.FS

func checkRights(ctx context.Context, s *Installation) ([]string, error) {
	return s.query(ctx, s.db.Pool, "rights")
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// query runs sql/<name>.sql, which returns verdicts and messages. The error joins all failures.
func (s *Installation) query(
	ctx context.Context, db querier, name string,
) (warnings []string, _ error) {
	sql, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return nil, err
	}
	owner, _ := postgres.RoleOf(s.MigrateDatabaseURL) // checkOwner reports the error
	rows, _ := db.Query(ctx, "/* doctor."+name+" */ "+string(sql), pgx.NamedArgs{
		"now":              time.Now(),
		"program_version":  len(migrationFiles()),
		"script":           migrationScript(),
		"serving_database": s.databaseID,
		"owner":            owner,
		"pooled":           s.Pooled(),
		"connections":      s.PoolRequests + assembly.OtherConns,
		"others":           assembly.OtherConns,
		"serve_answers":    s.serveAnswers && !s.Pooled(),               // a pooler may change application_name
		"one_role":         s.MigrateDatabaseURL == "" && !s.Embedded(), // whether the serving role also migrates
	})
	var verdict Verdict
	var message string
	var failures []error
	_, err = pgx.ForEachRow(rows, []any{&verdict, &message}, func() error {
		if verdict == Failure {
			failures = append(failures, errors.New(message))
		} else {
			warnings = append(warnings, message)
		}
		return nil
	})
	return warnings, errors.Join(append(failures, err)...)
}

func openDB(ctx context.Context, setting, url string) (*postgres.DB, error) {
	db, err := postgres.Open(ctx, url, postgres.Options{Name: "dg doctor", MaxConns: 2})
	return db, apperr.Annotate(err, setting)
}

func checkDatabase(ctx context.Context, s *Installation) (warnings []string, err error) {
	if s.db, err = openDB(ctx, "DG_DATABASE_URL", s.ServingURL); err != nil {
		return nil, err
	}
	// The functions pg_control_… are here because ETags of reports need the right to call them. A
	// pooler that does not keep prepared statements fails at the second connection.
	for range 2 {
		err = s.db.Pool.QueryRow(ctx, `/* doctor.name */ select format('%s %s', current_database(), system_identifier),
			current_user from pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`,
		).Scan(&s.databaseID, &s.ServingRole)
		if err != nil {
			return nil, err
		}
		s.db.Pool.Reset()
	}
	// others may have created functions in the schema public: the query must not call them
	err = pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local search_path = pg_catalog"); err != nil {
			return err
		}
		warnings, err = s.query(ctx, tx, "database")
		return err
	})
	return warnings, err
}

// checkOwner checks the owner's role, except on the embedded server, where dg creates it.
func checkOwner(ctx context.Context, s *Installation) ([]string, error) {
	if s.Embedded() {
		return nil, nil
	}
	if s.MigrateDatabaseURL == "" {
		return s.query(ctx, s.db.Pool, "owner")
	}
	db, err := openDB(ctx, "DG_MIGRATE_DATABASE_URL", s.MigrateDatabaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return s.query(ctx, db.Pool, "owner")
}

// Keyring returns the keys of two-step secrets. It fails if a key is malformed.
func Keyring(c config.Secrets) (identity.Keyring, error) {
	current, previous, err := c.Keys()
	if err != nil {
		return identity.Keyring{}, err
	}
	return identity.NewKeyring(current, previous)
}

// checkSecrets names people only in dg doctor: dg serve logs their number.
func checkSecrets(ctx context.Context, s *Installation) ([]string, error) {
	keyring, err := Keyring(s.Secrets)
	if err != nil {
		return nil, err
	}
	people, err := identity.CheckSecretKey(ctx, s.db, keyring)
	if err != nil || len(people) == 0 || !s.RunByDoctor {
		return nil, err
	}
	return []string{fmt.Sprintf("%d two-step secrets cannot be decrypted, those of %s: set "+
		"DG_SECRET_KEY_PREVIOUS to their key, or run dg account reset for each, who must use the link",
		len(people), strings.Join(people[:min(len(people), 200)], ", "))}, nil
}

// checkDemo fails if other machines could sign in with the demo's passwords.
func checkDemo(ctx context.Context, s *Installation) ([]string, error) {
	if s.LoopbackOnly() {
		return nil, nil
	}
	return nil, demo.CheckPasswords(ctx, s.db.Pool)
}

// checkReplicas warns of replicas that cannot take the reads of reports.
func checkReplicas(ctx context.Context, s *Installation) (warnings []string, _ error) {
	replicas, err := postgres.OpenReplicas(ctx, s.Replicas(), s.db,
		postgres.Options{Name: "dg doctor", MaxConns: 1})
	if err != nil {
		return nil, err
	}
	defer postgres.CloseReplicas(replicas)
	for _, r := range replicas {
		if err := r.Check(ctx); err != nil {
			warnings = append(warnings, fmt.Sprintf("reports leave out replica %d: %s", r.Number,
				explain(err)))
		}
	}
	return warnings, nil
}

func checkEmails(ctx context.Context, s *Installation) ([]string, error) {
	return identity.CheckEmails(ctx, s.db)
}
