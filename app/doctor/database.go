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

// Reach connects to the database as dg does. The caller closes the connection, which is nil when
// the finding is a failure.
func Reach(ctx context.Context, url string) (*pgx.Conn, Finding) {
	if _, err := postgres.RoleOf(url); err != nil {
		return nil, failure("database", "DG_DATABASE_URL cannot be read",
			"Set it to a URL such as postgres://dg_app:…@host:5432/dg.")
	}
	begun := time.Now()
	conn, err := postgres.Connect(ctx, url, postgres.Options{Name: "dg doctor"})
	if pooler, is := errors.AsType[*postgres.PoolerError](err); is {
		return nil, failure("pooler", pooler.Problem,
			strings.ToUpper(pooler.Fix[:1])+pooler.Fix[1:]+".")
	}
	if err != nil {
		return nil, failure("database", err.Error(),
			"Check DG_DATABASE_URL, that PostgreSQL runs, and that pg_hba.conf admits this machine.")
	}
	return conn, ok("database", "answers after %s", time.Since(begun).Round(time.Millisecond))
}

// SameDatabase checks that dg migrates the database that it serves. Two URLs that lead to different
// ones would migrate one and serve the other, which no statement notices. Errors: those of a
// connection that fails.
func SameDatabase(ctx context.Context, serving, migrate string) (Finding, error) {
	owned, err := nameOf(ctx, migrate)
	if err != nil {
		return failure(migrateCheck, err.Error(),
			"Check DG_MIGRATE_DATABASE_URL: host, database, role and password."), err
	}
	served, err := nameOf(ctx, serving)
	if err != nil {
		return Finding{}, err
	}
	if owned != served {
		return failure(migrateCheck,
			fmt.Sprintf("DG_MIGRATE_DATABASE_URL leads to %s, DG_DATABASE_URL to %s", owned,
				served), "Name the same server and database in both."), nil
	}
	return ok(migrateCheck, "leads to the database that is served"), nil
}

const migrateCheck = "migrate url"

// nameOf names the database that a URL leads to, so that no other has the name.
func nameOf(ctx context.Context, url string) (name string, err error) {
	if _, err := postgres.RoleOf(url); err != nil {
		return "", err
	}
	conn, err := postgres.Connect(ctx, url, postgres.Options{Name: "dg doctor"})
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, `/* doctor.name */ select format('database %s of system %s',
		current_database(), system_identifier) from pg_control_system()`).Scan(&name)
	return name, err
}

// Version checks server_version_num.
func Version(number int) Finding {
	if number < minVersion {
		return failure("version", fmt.Sprintf("PostgreSQL %d is too old", number/10000),
			"Update PostgreSQL to 15 or later.")
	}
	return ok("version", "PostgreSQL %d.%d", number/10000, number%10000)
}

// Server checks what the server says of itself: version, whether it takes writes, whether a commit
// is durable, and its clock.
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
			failure("primary", "the database is a standby or read-only, and every request writes",
				"Point DG_DATABASE_URL at the primary, with target_session_attrs=read-write where "+
					"the URL names several hosts."))
	}
	if fsync == "off" || commit == "off" {
		findings = append(findings,
			failure("durability",
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
		return failure("clock",
			fmt.Sprintf("the clocks of the database and this machine differ by %s",
				skew.Abs().Round(time.Second)),
			"Set both by NTP: codes of two-step verification and sessions depend on them.")
	}
	return ok("clock", "differs by %s from the database's", skew.Abs().Round(time.Millisecond))
}

// Schema compares the database's migrations with those of this program.
func Schema(ctx context.Context, conn *pgx.Conn, files fs.FS) (Finding, error) {
	names, err := fs.Glob(files, "2*.sql")
	if err != nil {
		return Finding{}, err
	}
	known := int64(0)
	for _, name := range names {
		version, _, _ := strings.Cut(name, "_")
		number, err := strconv.ParseInt(version, 10, 64)
		if err != nil {
			return Finding{}, fmt.Errorf("migration %s: %w", name, err)
		}
		known = max(known, number)
	}
	var applied, minimum int64
	err = conn.QueryRow(ctx,
		`/* doctor.schema */ select coalesce(max(version_id), 0) from goose_db_version where is_applied`).
		Scan(&applied)
	if missing(err) {
		return failure("migrations", "the database has no schema yet",
			"Run dg migrate; dg serve does it too."), nil
	}
	if err != nil {
		return Finding{}, err
	}
	err = conn.QueryRow(ctx,
		`/* doctor.schema */ select coalesce(max(version), 0) from schema_minimum`).Scan(&minimum)
	if err != nil && !missing(err) && !refused(err) {
		return Finding{}, err
	}
	switch {
	case applied < known:
		return failure("migrations",
			fmt.Sprintf("the schema ends at %d, this program at %d", applied, known),
			"Run dg migrate; dg serve does it too."), nil
	case known < minimum:
		return failure("migrations",
			fmt.Sprintf("the schema needs a program with migration %d, this one ends at %d",
				minimum,
				known), "Install a newer dg."), nil
	case applied > known:
		return warning("migrations", "the schema is newer than this program and still admits it",
			"Finish the update."), nil
	}
	return ok("migrations", "all are applied, up to %d", applied), nil
}

// missing reports whether a table does not exist.
func missing(err error) bool { return hasCode(err, "42P01") }

// refused reports whether the role may not do that.
func refused(err error) bool { return hasCode(err, "42501") }

func hasCode(err error, code string) bool {
	e, is := errors.AsType[*pgconn.PgError](err)
	return is && e.Code == code
}

// Connections compares what one instance may open with what the server has.
func Connections(ctx context.Context, conn *pgx.Conn, instance int) (Finding, error) {
	allowed, err := postgres.AllowedConnections(ctx, conn)
	if err != nil {
		return Finding{}, err
	}
	if instance > allowed {
		return failure("connections",
				fmt.Sprintf("an instance opens up to %d, and the database allows %d", instance,
					allowed),
				"Set DG_POOL_AUTH and DG_POOL_READS lower, or max_connections of PostgreSQL higher."),
			nil
	}
	return ok("connections", "an instance opens up to %d of %d", instance, allowed), nil
}

// backlogAge is how old an unsealed day may be: the sealer passes every minute, and an import
// leaves it more than one pass.
const backlogAge = 48 * time.Hour

// Backlog checks that the sealer keeps up: due finished days are unsealed, the oldest since the
// given day.
func Backlog(due int, oldest, now time.Time) Finding {
	if due > 0 && now.Sub(oldest) > backlogAge {
		return warning("sealer",
			fmt.Sprintf(
				"%d finished days are not sealed, the oldest is %s: their statistics are slow", due,
				oldest.Format(time.DateOnly),
			),
			"See that dg serve runs, and look for \"sealer\" in its log; dg segments rebuild seals now.")
	}
	return ok("sealer", "%d finished days are not sealed", due)
}

// Secrets checks that the keys open every stored secret of two-step verification, and are the
// database's: dg serve does not start with wrong ones.
func Secrets(unreadable int, wrongKey bool) Finding {
	const fix = "Set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it."
	if wrongKey {
		return failure("secrets",
			fmt.Sprintf("the database has another secret key, so dg serve does not start, "+
				"and %d two-step secrets cannot be read", unreadable), fix)
	}
	if unreadable > 0 {
		return failure("secrets",
			fmt.Sprintf(
				"%d two-step secrets are encrypted with a missing key: these people cannot sign in",
				unreadable,
			),
			fix)
	}
	return ok("secrets", "every two-step secret can be read")
}
