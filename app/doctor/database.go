package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dg/platform/postgres"
)

const (
	minVersion = 150000 // PostgreSQL 15, as server_version_num has it
	maxSkew    = 5 * time.Second
)

// Reach connects to the database of the setting as dg does. The caller closes the connection, which
// is nil when the finding is a failure.
func Reach(ctx context.Context, setting, url string) (*pgx.Conn, Finding) {
	if _, err := postgres.RoleOf(url); err != nil {
		return nil, Fail("database", setting+": "+err.Error(),
			"Set it to a URL such as postgres://dg_app:…@host:5432/dg.")
	}
	begun := time.Now()
	conn, err := postgres.Connect(ctx, url, postgres.Options{Name: "dg doctor"})
	if pooler, is := errors.AsType[*postgres.PoolerError](err); is {
		fix := strings.ToUpper(pooler.Fix[:1]) + pooler.Fix[1:] + "."
		if strings.HasPrefix(fix, "Have a superuser") { // before the first start
			fix = "Run dg migrate, which sets what the role may set. Otherwise " + pooler.Fix + "."
		}
		return nil, Fail("pooler", pooler.Problem, fix)
	}
	if err != nil {
		return nil, Fail("database", setting+": "+err.Error(),
			"Check "+setting+", that PostgreSQL runs, and that pg_hba.conf admits this machine.")
	}
	return conn, ok("database", "%s answers after %s", setting,
		time.Since(begun).Round(time.Millisecond))
}

const ownerSQL = `/* doctor.owner */
select has_schema_privilege('public', 'create') and not exists (select from pg_class
  where oid = to_regclass('public.organisations') and not pg_has_role(relowner, 'usage'))`

// Owner checks that dg can migrate through the URL of the setting, and that both URLs lead to one
// database. serving is "" if there is only one URL.
func Owner(ctx context.Context, setting, url, serving string) Finding {
	conn, found := Reach(ctx, setting, url)
	if conn == nil {
		return found
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var may bool
	if err := conn.QueryRow(ctx, ownerSQL).Scan(&may); err != nil || !may {
		return Fail("owner",
			fmt.Sprintf("the role of %s may not create tables, or does not own those of dg", setting),
			"Name the owner of the database in DG_MIGRATE_DATABASE_URL: roles.sh creates one.")
	}
	if serving == "" {
		return found
	}
	served, err := postgres.Connect(ctx, serving, postgres.Options{Name: "dg doctor"})
	if err != nil {
		return found // the check of the serving URL reports it
	}
	defer func() { _ = served.Close(context.WithoutCancel(ctx)) }()
	here, err := nameOf(ctx, conn)
	there, failed := nameOf(ctx, served)
	if err := errors.Join(err, failed); err != nil {
		return Fail("owner", err.Error(), "Run dg doctor again.")
	}
	if here != there {
		return Fail("owner",
			fmt.Sprintf("%s leads to %s, DG_DATABASE_URL to %s", setting, here, there),
			"Name the same server and database in both.")
	}
	return found
}

// nameOf returns a name that is unique among all databases of all servers.
func nameOf(ctx context.Context, conn *pgx.Conn) (name string, err error) {
	err = conn.QueryRow(ctx, `/* doctor.name */ select format('database %s of system %s',
		current_database(), system_identifier) from pg_control_system()`).Scan(&name)
	return name, err
}

// Version checks server_version_num.
func Version(number int) Finding {
	if number < minVersion {
		return Fail("version", fmt.Sprintf("PostgreSQL %d is too old", number/10000),
			"Update PostgreSQL to 15 or later.")
	}
	return ok("version", "PostgreSQL %d.%d", number/10000, number%10000)
}

// Server checks the server's version, clock, and whether it takes writes and commits durably.
func Server(ctx context.Context, conn *pgx.Conn) ([]Finding, error) {
	var version int
	var standby, readOnly bool
	var fsync, commit string
	var clock time.Time
	before := time.Now()
	err := conn.QueryRow(ctx,
		`/* doctor.server */ select current_setting('server_version_num')::int, pg_is_in_recovery(),
		current_setting('transaction_read_only')::boolean, current_setting('fsync'),
		  current_setting('synchronous_commit'), clock_timestamp()`).
		Scan(&version, &standby, &readOnly, &fsync, &commit, &clock)
	if err != nil {
		return nil, err
	}
	middle := before.Add(time.Since(before) / 2)
	findings := []Finding{Version(version)}
	if standby || readOnly {
		findings = append(findings,
			Fail("primary", "the database is a standby or read-only, and every request writes",
				"Point DG_DATABASE_URL at the primary, with target_session_attrs=read-write where "+
					"the URL names several hosts."))
	}
	if fsync == "off" || commit == "off" {
		findings = append(findings,
			Warn("durability",
				fmt.Sprintf(
					"fsync is %s and synchronous_commit is %s: a crash can undo a revocation "+
						"that was answered", fsync, commit,
				),
				"Set both to on."))
	}
	return append(findings, Clock(clock.Sub(middle))), nil
}

// Clock compares the machine's clock with the database's.
func Clock(skew time.Duration) Finding {
	if skew.Abs() > maxSkew {
		return Warn("clock",
			fmt.Sprintf("the clocks of the database and this machine differ by %s",
				skew.Abs().Round(time.Second)),
			"Set both by NTP: codes of two-step verification and sessions depend on them.")
	}
	return ok("clock", "differs by %s from the database's", skew.Abs().Round(time.Millisecond))
}

// Schema compares the database's migrations with those of this program. complete means that all of
// the program's are applied.
func Schema(ctx context.Context, conn interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, files fs.FS,
) (_ Finding, complete bool, _ error) {
	names, err := fs.Glob(files, "2*.sql")
	if err != nil {
		return Finding{}, false, err
	}
	known := int64(0)
	for _, name := range names {
		version, _, _ := strings.Cut(name, "_")
		number, err := strconv.ParseInt(version, 10, 64)
		if err != nil {
			return Finding{}, false, fmt.Errorf("migration %s: %w", name, err)
		}
		known = max(known, number)
	}
	var applied int64
	err = conn.QueryRow(ctx,
		`/* doctor.schema */ select coalesce(max(version_id), 0) from goose_db_version where is_applied`).
		Scan(&applied)
	if missing(err) {
		return Warn("migrations", "the database has no schema yet",
			"Start dg serve, or run dg migrate."), false, nil
	}
	if err != nil {
		return Finding{}, false, err
	}
	switch {
	case applied < known:
		return Warn("migrations",
			fmt.Sprintf("the schema ends at %d, this program at %d", applied, known),
			"Run dg migrate, or start dg serve."), false, nil
	case applied > known:
		return Warn("migrations", "the schema is newer than this program",
			"Finish the update."), true, nil
	}
	return ok("migrations", "all are applied, up to %d", applied), true, nil
}

// missing reports whether a table does not exist.
func missing(err error) bool { return hasCode(err, "42P01") }

func hasCode(err error, code string) bool {
	e, is := errors.AsType[*pgconn.PgError](err)
	return is && e.Code == code
}

// Connections compares the connections of one instance with the server's limit.
func Connections(ctx context.Context, conn *pgx.Conn, instance int) (Finding, error) {
	allowed, err := postgres.AllowedConnections(ctx, conn)
	if err != nil {
		return Finding{}, err
	}
	if instance > allowed {
		return Warn("connections",
				fmt.Sprintf("an instance opens up to %d, and the database allows %d", instance,
					allowed),
				"Set DG_POOL_AUTH and DG_POOL_READS lower, or max_connections of PostgreSQL higher."),
			nil
	}
	return ok("connections", "an instance opens up to %d of %d", instance, allowed), nil
}

// backlogAge is the age at which an unsealed day is late. After an import the sealer needs several
// passes, one a minute.
const backlogAge = 48 * time.Hour

// Backlog checks that the sealer keeps up. due is the number of unsealed finished days.
func Backlog(due int, oldest, now time.Time) Finding {
	if due > 0 && now.Sub(oldest) > backlogAge {
		return Warn("sealer",
			fmt.Sprintf(
				"%d finished days are not sealed, the oldest is %s: their statistics are slow", due,
				oldest.Format(time.DateOnly),
			),
			"See that dg serve runs, and look for \"sealer\" in its log; dg segments rebuild seals now.")
	}
	return ok("sealer", "%d finished days are not sealed", due)
}

// Secrets checks that the keys decrypt every two-step secret. dg serve does not start with keys of
// another database.
func Secrets(unreadable int, wrongKey bool) Finding {
	const fix = "Set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it."
	if wrongKey {
		return Fail("secrets",
			fmt.Sprintf("the database has another secret key, and %d two-step secrets cannot be read",
				unreadable), fix)
	}
	if unreadable > 0 {
		return Warn("secrets",
			fmt.Sprintf(
				"%d two-step secrets are encrypted with a missing key: these people cannot sign in",
				unreadable,
			),
			fix)
	}
	return ok("secrets", "every two-step secret can be read")
}
