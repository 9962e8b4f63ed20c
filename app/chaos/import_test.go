package chaos

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// brokenImport is a database with a history, an import that changes all of it, and a dg that shows
// it.
type brokenImport struct {
	*testing.T
	x      *apptest.External
	db     *testkit.World
	change string // the file of the import
}

func newBrokenImport(t *testing.T) brokenImport {
	t.Helper()
	b := brokenImport{T: t, x: apptest.NewExternal(t)}
	b.db = b.x.World
	base := apptest.NewHistory(t, 61, 6_000)
	b.x.Succeeds("migrate")
	require.Zero(t, b.run("import", base.File).Status(time.Minute))
	text, err := os.ReadFile(base.File)
	require.NoError(t, err)
	b.change = filepath.Join(t.TempDir(), "change.ndjson")
	text = bytes.ReplaceAll(text, []byte(`"passed":true`), []byte(`"passed":false`))
	text = bytes.ReplaceAll(text, []byte(`"plan":"pro"`), []byte(`"plan":"enterprise"`))
	require.NoError(t, os.WriteFile(b.change, text, 0o600))
	return b
}

// run starts a command on the database.
func (b brokenImport) run(args ...string) *apptest.Child {
	return apptest.Launch(b.T, append(args, b.x.Flags()...)...)
}

// rows is a checksum of what an import writes.
func (b brokenImport) rows() string {
	return testkit.One[string](b.db, `select concat(
		(select md5(string_agg(t::text, '' order by id)) from plays t),
		(select md5(string_agg((to_jsonb(t) - 'version')::text, '' order by id)) from organisations t),
		(select count(*) from audit_entries))`)
}

// held starts a command and waits until it has to wait for a lock on the table.
func (b brokenImport) held(table string, args ...string) (c *apptest.Child, release func()) {
	tx := b.db.Begin(`lock table ` + table + ` in share row exclusive mode`)
	c = b.run(args...)
	b.until("it is never held", `wait_event_type = 'Lock'`)
	return c, func() {
		require.NoError(b, tx.Rollback(b.Context()))
		b.until("its work goes on", "")
	}
}

// until waits for a connection of the commands that meets the condition; for none without one.
func (b brokenImport) until(what, condition string) {
	apptest.Until(b.T, time.Minute, what, func() bool {
		return testkit.One[bool](b.db, `select exists (select from pg_stat_activity
			where application_name = 'dg import' `+
			strings.TrimSuffix("and "+condition, "and ")+`)`) == (condition != "")
	})
}

// configs/deploy/import.md: an import that is broken off leaves nothing, says so, and succeeds when
// it is run again.
func TestBrokenImportIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	b := newBrokenImport(t)
	before := b.rows()
	for _, blow := range []struct {
		name   string
		strike func(*apptest.Child)
		status int
		says   string
	}{
		{"kill -9", (*apptest.Child).Kill, -1, ""},
		{"Ctrl-C", func(c *apptest.Child) { require.NoError(t, c.Process.Signal(os.Interrupt)) }, 1,
			"dg: interrupted: nothing was imported\n"},
		{"cut connection", func(*apptest.Child) {
			b.db.Exec(`select pg_terminate_backend(pid) from pg_stat_activity
				where application_name = 'dg import'`)
		}, 1, "dg: nothing was imported: the connection to the database was lost"},
	} {
		c, release := b.held("plays", "import", b.change)
		blow.strike(c)
		require.Equal(t, blow.status, c.Status(30*time.Second), "%s: %s", blow.name, c.Log.String())
		require.Contains(t, c.Log.String(), blow.says, blow.name)
		release()
		require.Equal(t, before, b.rows(), blow.name)
	}
	b.db.Exec(`create function full_disk() returns trigger language plpgsql as $$ begin
		raise 'no space left' using errcode = '53100'; end $$`)
	b.db.Exec(`create trigger full_disk before update on plays execute function full_disk()`)
	c := b.run("import", b.change)
	require.Equal(t, 1, c.Status(time.Minute))
	require.Contains(t, c.Log.String(), "dg: nothing was imported: the disk of the database is full. Free")
	require.Equal(t, before, b.rows())
	b.db.Exec(`drop function full_disk cascade`)
	require.Zero(t, b.run("import", b.change).Status(time.Minute))
	require.NotEqual(t, before, b.rows())
}
