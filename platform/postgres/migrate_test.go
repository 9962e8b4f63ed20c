package postgres_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3/lock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

var testFiles = files{
	"1_things.sql":      "create table things (id int primary key);\ninsert into things values (1);",
	"2_log.sql":         "create table log (id int);",
	"grants/things.sql": "-- for :role\nrevoke all on things from :role;\ngrant select on things to :role;",
	"grants/log.sql":    "revoke all on log from :role;\ngrant select, insert on log to :role;",
}

var testSchema = testFiles.mapFS(nil)

type files map[string]string // SQL by name

// mapFS returns the files as a file system. Those of overrides replace or add files.
func (f files) mapFS(overrides files) fstest.MapFS {
	merged := fstest.MapFS{"migrations.go": {Data: []byte("package migrations")}}
	for _, source := range []files{f, overrides} {
		for name, sql := range source {
			merged[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql + "\n")}
		}
	}
	return merged
}

// Migrate applies each migration once. The serving role has exactly the rights that the grants give it.
func TestMigrateAppliesSchemaAndGrants(t *testing.T) {
	serving, owner := newDatabase(t)
	var log tb.Buffer
	for range 2 { // the second run changes nothing
		require.NoError(t, postgres.Migrate(t.Context(), owner, testSchema, servingRole, log.Logger()))
	}
	require.Equal(t, 1, strings.Count(log.String(), "1_things.sql"))
	require.Equal(t, 1, tb.Query[int](t, serving, `select count(*) from things`))
	require.NoError(t, tb.Exec(t, serving, `insert into log values (1)`))
	for statement, message := range map[string]string{
		`delete from log`: "permission denied", `insert into things values (2)`: "permission denied", `drop table log`: "must be owner",
	} {
		require.ErrorContains(t, tb.Exec(t, serving, statement), message)
	}

	fewerGrants := testFiles.mapFS(files{"grants/things.sql": "revoke all on things from :role;"})
	require.NoError(t, postgres.Migrate(t.Context(), owner, fewerGrants, servingRole, nil))
	require.ErrorContains(t, tb.Exec(t, serving, `select from things`), "permission denied")
}

// Concurrent instances migrate once. Slow files make them overlap: first in the migration, then in the grants. No
// database timeout ends the migrator's session, which holds the lock and idles during a migration.
func TestConcurrentMigrationsRunOnce(t *testing.T) {
	serving, owner := newDatabase(t)
	require.NoError(t, tb.Exec(t, owner, `do $$ begin
		execute (select string_agg(format('alter database %I set %s = 100', current_database(), name), ';')
			from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')); end $$`))
	slow := testFiles.mapFS(files{"3_slow.sql": "insert into things values (2);\nselect pg_sleep(0.2);",
		"grants/things.sql": "grant select on things to :role;\nselect pg_sleep(0.1);"})
	for range 2 {
		testkit.Concurrently(3, func(int) {
			assert.NoError(t, postgres.Migrate(t.Context(), owner, slow, servingRole, nil))
		})
	}
	require.Equal(t, 2, tb.Query[int](t, serving+"&idle_session_timeout=0", `select count(*) from things`))
}

// The error names the failed migration, which is rolled back. Earlier migrations stay applied.
func TestFailedMigrationIsNamedAndEarlierOnesStay(t *testing.T) {
	_, owner := newDatabase(t)
	var log tb.Buffer
	err := postgres.Migrate(t.Context(), owner, testFiles.mapFS(files{
		"3_wrong.sql": "create table half (id int);\ncreate table things (id int);",
	}), servingRole, log.Logger())
	require.ErrorContains(t, err, "3_wrong.sql")
	require.ErrorContains(t, err, `relation "things" already exists`)
	require.Contains(t, log.String(), "2_log.sql")
	require.True(t, tb.Query[bool](t, owner, `select to_regclass('half') is null and to_regclass('log') is not null`))
	err = postgres.Migrate(t.Context(), owner, testFiles.mapFS(files{
		"3_busy.sql": "do $$ begin raise lock_not_available; end $$;"}), servingRole, nil)
	require.ErrorContains(t, err, "wait until the dg import or pg_dump that uses the table has ended, and repeat")
	require.NoError(t, postgres.Migrate(t.Context(), owner, testSchema, servingRole, nil))
}

// A migration that waits for another one says so.
func TestMigrationThatWaitsSaysSo(t *testing.T) {
	_, owner := newDatabase(t)
	conn := tb.Must(pgx.Connect(t.Context(), owner))(t)
	tb.Must(conn.Exec(t.Context(), `select pg_advisory_lock($1)`, lock.DefaultLockID))(t)
	var log tb.Buffer
	ended := make(chan error, 1)
	go func() { ended <- postgres.Migrate(t.Context(), owner, testSchema, servingRole, log.Logger()) }()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "another process may migrate") },
		time.Minute, 10*time.Millisecond)
	require.NoError(t, conn.Close(t.Context()))
	require.NoError(t, <-ended)
}

// A migration by an older program changes nothing: it keeps the rights that the newer program granted.
func TestOlderProgramKeepsRightsOfNewerOne(t *testing.T) {
	serving, owner := newDatabase(t)
	newer := testFiles.mapFS(files{"3_more.sql": "create table more (id int);\nalter table log add column note text;",
		"grants/more.sql": "grant select on more to :role;",
		"grants/log.sql":  testFiles["grants/log.sql"] + "grant update (note) on log to :role;"})
	require.NoError(t, postgres.Migrate(t.Context(), owner, newer, servingRole, nil))
	require.NoError(t, tb.Exec(t, serving, `select from more; update log set note = ''`))
	var log tb.Buffer
	require.NoError(t, postgres.Migrate(t.Context(), owner, testSchema, servingRole, log.Logger()))
	require.NoError(t, tb.Exec(t, serving, `select from more; update log set note = ''; select from things`))
	require.Contains(t, log.String(), "newer migrations")
}

// Migrations leave PUBLIC its rights to temporary tables and large objects, which other programs may need.
func TestPublicRightsAreNotRevoked(t *testing.T) {
	serving, owner := newDatabase(t)
	superURL := tb.AsRole(owner, superuser)
	database := tb.Query[string](t, owner, `select current_database()`)
	require.NoError(t, tb.Exec(t, superURL, `grant temporary on database `+database+` to `+servingRole))
	otherRole := "other_" + database
	require.NoError(t, tb.Exec(t, superURL, `create role `+otherRole+` login`))
	t.Cleanup(func() {
		require.NoError(t, tb.Exec(t, superURL, `drop owned by `+otherRole+`; drop role `+otherRole))
	})
	grants := tb.Must(os.ReadFile("../../migrations/grants/schema.sql"))(t)
	fullSchema := testFiles.mapFS(files{"grants/schema.sql": string(grants)})
	for _, url := range []string{owner, superURL} {
		require.NoError(t, postgres.Migrate(t.Context(), url, fullSchema, servingRole, nil))
		require.NoError(t,
			tb.Exec(t, tb.AsRole(owner, otherRole), `create temporary table t (id int); select lo_create(0)`))
	}
	require.NoError(t, tb.Exec(t, superURL, `revoke temporary on database `+database+` from public`))
	require.NoError(t, postgres.Migrate(t.Context(), owner, fullSchema, servingRole, nil))
	require.ErrorContains(t, tb.Exec(t, serving, `create temporary table t (id int)`), "permission denied")
}

// If the serving role is missing, the error names it.
func TestMigrateNeedsTheServingRole(t *testing.T) {
	_, owner := newDatabase(t)
	err := postgres.Migrate(t.Context(), owner, testSchema, `no"body`, nil)
	require.ErrorContains(t, err, `role "no"body" does not exist`)

	// A role that is both owner and serving role keeps its rights.
	require.NoError(t, postgres.Migrate(t.Context(), owner, testSchema, ownerRole, nil))
	require.NoError(t, tb.Exec(t, owner, `delete from log`))
}
