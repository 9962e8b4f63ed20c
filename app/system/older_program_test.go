package system

import (
	"io/fs"
	"maps"
	"net/url"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/migrations"
	"dg/platform/postgres"
)

// migrationsWith are the program's migrations and more, with more grants.
func migrationsWith(t *testing.T, name, sql, grants string) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	entries, err := fs.ReadDir(migrations.FS, ".")
	require.NoError(t, err)
	for _, e := range entries {
		content, err := fs.ReadFile(migrations.FS, e.Name())
		require.NoError(t, err)
		all[e.Name()] = &fstest.MapFile{Data: content}
	}
	more := maps.Clone(all)
	more[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	more["grants.sql"] = &fstest.MapFile{Data: append(all["grants.sql"].Data, grants...)}
	return more
}

// A newer program has migrated, and an older one's command runs beside it: the newer one keeps its
// rights.
func TestOlderProgramBesideANewerOne(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	c := x.Serve("--demo")
	require.NoError(t,
		postgres.Migrate(t.Context(), x.URL(url.User("dg_owner")),
			migrationsWith(t, "20991231000000_newer.sql",
				"create table newer (id int); insert into newer values (1); alter table plays add column newer int;",
				"revoke all on newer from :role; grant select, insert on newer to :role; grant update "+
					"(newer) on plays to :role;"), "dg_app", nil))
	d := apptest.OpenDoor(t, x.Dir)

	older := apptest.Launch(t, "segments", "status", "--database-url", x.URL(url.User("dg_app")),
		"--migrate-database-url", x.URL(url.User("dg_owner")))
	require.Zero(t, older.Status(backWithin*6), "%s", older.Log.String())
	require.Contains(t, older.Log.String(), "newer migrations")

	for _, right := range []string{
		"has_table_privilege('dg_app', 'newer', 'insert')",
		"has_column_privilege('dg_app', 'plays', 'newer', 'update')",
	} {
		require.True(t, apptest.Read[bool](t, d, "select "+right),
			"what the newer program may do: %s", right)
	}
	_, status := paste(t, c.Out.String())
	require.Equal(t, "200", status)

	d.Do(t, `update schema_minimum set version = 20991231000000`)
	refused := apptest.Launch(t, "segments", "status", "--database-url", x.URL(url.User("dg_app")),
		"--migrate-database-url", x.URL(url.User("dg_owner")))
	require.Equal(t, 1, refused.Status(backWithin*6))
	require.Contains(t, refused.Log.String(), "newer version of dg")
}

// Somebody else's table in our schema stops no command.
func TestForeignTableInTheSchema(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	d := apptest.OpenDoor(t, dir)
	d.Do(t, `create table foreign_table (id int); grant select on foreign_table to dg_app`)
	for range 2 {
		c := apptest.Launch(t, "migrate", "--data-dir", dir)
		require.Zero(t, c.Status(backWithin*6), "%s", c.Log.String())
	}
	require.True(t,
		apptest.Read[bool](t, d, `select has_table_privilege('dg_app', 'foreign_table', 'select')`))
}

// Each table of ours is in grants.sql: a right that is no longer given there is taken.
func TestGrantsNameEachTable(t *testing.T) {
	t.Parallel()
	grants, err := fs.ReadFile(migrations.FS, "grants.sql")
	require.NoError(t, err)
	require.NotContains(t, string(grants), "on all tables",
		"a statement for all tables touches those of others")
	dir := apptest.NewFolder(t)
	d := apptest.OpenDoor(t, dir)
	require.NoError(t,
		postgres.Migrate(t.Context(), d.Server.OwnerURL(), migrations.FS, "dg_app", nil))
	for table := range d.Tables(t) {
		if table != "schema_minimum" { // of the migrations alone
			require.Contains(t, string(grants), "revoke all on "+table+" from :role;")
		}
	}
}
