package postgres

import (
	"context"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/logbook"
)

// schema is a small set of migrations.
var schema = fstest.MapFS{
	"20260101000000_things.sql": {
		Data: []byte(
			"-- +goose Up\ncreate table things (id int primary key);\ninsert into things values (1);\n",
		),
	},
	"20260102000000_log.sql": {Data: []byte("-- +goose Up\ncreate table log (id int);\n")},
	"grants.sql": {
		Data: []byte("-- for :role\nrevoke all on things from :role;\ngrant select on things to :role;\n" +
			"revoke all on log from :role;\ngrant select, insert on log to :role;\n"),
	},
	"migrations.go": {Data: []byte("package migrations")},
}

// with is schema and more files.
func with(more fstest.MapFS) fs.FS {
	all := maps.Clone(schema)
	maps.Copy(all, more)
	return all
}

func TestMigrateAppliesSchemaAndGrants(t *testing.T) {
	t.Parallel()
	serving, owner := newDatabase(t)
	var book logbook.Book
	for range 2 { // again changes nothing
		require.NoError(t, Migrate(t.Context(), owner, schema, servingRole, book.Logger()))
	}
	if n := strings.Count(book.String(), "20260101000000_things.sql"); n != 1 {
		t.Errorf("the first migration was told of %d times: %s", n, book.String())
	}
	if query[int](t, serving, `select count(*) from things`) != 1 {
		t.Error("the serving role can't read")
	}
	require.NoError(t, execute(t, serving, `insert into log values (1)`))
	mentions(t, execute(t, serving, `delete from log`), "permission denied")
	mentions(t, execute(t, serving, `insert into things values (2)`), "permission denied")
	mentions(t, execute(t, serving, `drop table log`), "must be owner")

	// A right that the file no longer gives is gone after the next run.
	less := with(fstest.MapFS{"grants.sql": {Data: []byte("revoke all on things from :role;")}})
	require.NoError(t, Migrate(t.Context(), owner, less, servingRole, nil))
	mentions(t, execute(t, serving, `select from things`), "permission denied")
}

// The files are slow, so that the instances do meet: in the first round in the migration, in the
// second in the grants.
func TestConcurrentMigrationsRunOnce(t *testing.T) {
	t.Parallel()
	serving, owner := newDatabase(t)
	slow := with(fstest.MapFS{
		"20260103000000_slow.sql": {
			Data: []byte("-- +goose Up\ninsert into things values (2);\nselect pg_sleep(0.2);\n"),
		},
		"grants.sql": {
			Data: []byte("grant select on things to :role;\nselect pg_sleep(0.1);\n"),
		},
	})
	for range 2 {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := Migrate(context.Background(), owner, slow, servingRole, nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if query[int](t, serving, `select count(*) from things`) != 2 {
		t.Error("a migration ran more than once")
	}
}

// The tries for a lock: often at first, and never further apart than five seconds.
func TestLockPausesGrow(t *testing.T) {
	t.Parallel()
	last := time.Duration(0)
	tries := 0
	total := time.Duration(0)
	for total < maxLockWait {
		next := nextLockPause(last)
		if next < last || next < minLockPause || next > maxLockPause {
			t.Fatalf("%s after %s", next, last)
		}
		last = next
		tries++
		total += next + migrateLockTimeout
	}
	if tries > 150 {
		t.Errorf("%d tries", tries)
	}
}

func TestFailedMigrationIsNamedAndEarlierOnesStay(t *testing.T) {
	t.Parallel()
	_, owner := newDatabase(t)
	var book logbook.Book
	err := Migrate(t.Context(), owner, with(fstest.MapFS{
		"20260103000000_wrong.sql": {
			Data: []byte(
				"-- +goose Up\ncreate table half (id int);\ncreate table things (id int);\n",
			),
		},
	}), servingRole, book.Logger())
	mentions(t, err, "20260103000000_wrong.sql", `relation "things" already exists`)
	if !strings.Contains(book.String(), "20260102000000_log.sql") {
		t.Errorf("what was done was not said: %s", book.String())
	}
	if query[bool](t, owner,
		`select to_regclass('half') is not null or to_regclass('log') is null`) {
		t.Error("half a migration stayed, or a whole one did not")
	}
	require.NoError(t, Migrate(t.Context(), owner, schema, servingRole, nil))
}

// newer is schema with what a later program adds.
func newer() fs.FS {
	return with(fstest.MapFS{
		"20260103000000_more.sql": {
			Data: []byte(
				"-- +goose Up\ncreate table more (id int);\nalter table log add column note text;\n",
			),
		},
		"grants.sql": {Data: []byte(string(schema["grants.sql"].Data) +
			"revoke all on more from :role;\ngrant select on more to :role;\ngrant update (note) on log to :role;\n")},
	})
}

// Any command of an older program migrates first: it must leave the rights of the newer one as they
// are.
func TestOlderProgramKeepsRightsOfNewerOne(t *testing.T) {
	t.Parallel()
	serving, owner := newDatabase(t)
	require.NoError(t, Migrate(t.Context(), owner, newer(), servingRole, nil))
	require.NoError(t, execute(t, serving, `select from more; update log set note = ''`))
	var book logbook.Book
	require.NoError(t, Migrate(t.Context(), owner, schema, servingRole, book.Logger()))
	require.NoError(t,
		execute(t, serving, `select from more; update log set note = ''; select from things`))
	if !strings.Contains(book.String(), "newer migrations") {
		t.Errorf("no warning: %s", book.String())
	}
}

// Somebody else's table in our schema is none of our business: nothing is granted or revoked on it.
func TestForeignTableIsLeftAlone(t *testing.T) {
	t.Parallel()
	serving, owner := newDatabase(t)
	superURL := asRole(t, owner, superuser)
	require.NoError(t,
		execute(t, superURL,
			`create table foreign_table (id int); grant select on foreign_table to `+servingRole))
	for range 2 {
		require.NoError(t, Migrate(t.Context(), owner, schema, servingRole, nil))
	}
	require.NoError(t, execute(t, serving, `select from foreign_table; select from things`))
}

// PostgreSQL allows temporary tables and large objects to PUBLIC. Only the serving role loses the
// right: other programs may need them, and dg doctor names the statements for the rest.
func TestPublicRightsAreNotRevoked(t *testing.T) {
	t.Parallel()
	serving, owner := newDatabase(t)
	superURL := asRole(t, owner, superuser)
	name := query[string](t, owner, `select current_database()`)
	require.NoError(t, execute(t, superURL, `grant temporary on database `+name+` to `+servingRole))
	other := "other_" + name
	require.NoError(t, execute(t, superURL, `create role `+other+` login`))
	t.Cleanup(func() {
		require.NoError(t, execute(t, superURL, `drop owned by `+other+`; drop role `+other))
	})
	for _, migrating := range []string{owner, superURL} {
		require.NoError(t, Migrate(t.Context(), migrating, schema, servingRole, nil))
		require.NoError(t,
			execute(t, asRole(t, owner, other),
				`create temporary table t (id int); select lo_create(0)`))
	}
	require.NoError(t, execute(t, superURL, `revoke temporary on database `+name+` from public`))
	require.NoError(t, Migrate(t.Context(), owner, schema, servingRole, nil))
	mentions(t, execute(t, serving, `create temporary table t (id int)`), "permission denied")
}

// A migration that older programs cannot work with says so: they refuse, and change nothing.
func TestProgramBelowSchemaMinimumIsRefused(t *testing.T) {
	t.Parallel()
	serving, owner := newDatabase(t)
	require.NoError(t, Migrate(t.Context(), owner, with(fstest.MapFS{
		"20260102500000_minimum.sql": {
			Data: []byte(
				"-- +goose Up\ncreate table schema_minimum (version bigint not null);\ninsert " +
					"into schema_minimum values (20260102000000);\n",
			),
		},
		"20260103000000_more.sql": {Data: []byte("-- +goose Up\ncreate table more (id int);\n")},
	}), servingRole, nil))
	// its newest is the minimum
	require.NoError(t, Migrate(t.Context(), owner, schema, servingRole, nil))

	require.NoError(t, execute(t, owner, `update schema_minimum set version = 20260102000001`))
	mentions(t, Migrate(t.Context(), owner, schema, servingRole, nil), "20260102000001",
		"20260102000000", "newer version of dg")
	require.NoError(t, execute(t, serving, `select from things`))
}

func TestMigrateNeedsGrantsAndRole(t *testing.T) {
	t.Parallel()
	_, owner := newDatabase(t)
	without := maps.Clone(schema)
	delete(without, grantsFile)
	mentions(t, Migrate(t.Context(), owner, without, servingRole, nil), grantsFile)
	mentions(t, Migrate(t.Context(), owner, schema, `no"body`, nil), "no such role")

	// One role for both: its own rights are not taken from it. dg doctor says so.
	require.NoError(t, Migrate(t.Context(), owner, schema, ownerRole, nil))
	require.NoError(t, execute(t, owner, `delete from log`))
}

func TestFillGrants(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"grant select on t to :role;":        `grant select on t to "a""b$1";`,
		":role, :role\n:role":                `"a""b$1", "a""b$1"` + "\n" + `"a""b$1"`,
		"select 'x'::role, :roles, x:role_a": "select 'x'::role, :roles, x:role_a",
	} {
		if got := fillGrants(template, `a"b$1`); got != want {
			t.Errorf("%q became %q", template, got)
		}
	}
}

func TestRoleOf(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://dg%2Fapp:x@host/db":    "dg/app",
		"host=h user=dg_app password=pw":   "dg_app",
		"postgres://host/db?user=dg_owner": "dg_owner",
	} {
		if got, err := RoleOf(url); err != nil || got != want {
			t.Errorf("%s: %q, %v", url, got, err)
		}
	}
}
