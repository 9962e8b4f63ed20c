package chaos

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// configs/deploy/import.md: an import that is broken off leaves nothing, says so, and succeeds when
// it is run again.
func TestBrokenImportIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	h := apptest.NewHistory(t, 61, 6_000)
	x.Succeeds("migrate")
	x.Succeeds("import", h.File)
	text, err := os.ReadFile(h.File)
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte(`"passed":true`), []byte(`"passed":false`))
	text = bytes.ReplaceAll(text, []byte(`"plan":"pro"`), []byte(`"plan":"enterprise"`))
	change := filepath.Join(t.TempDir(), "change.ndjson")
	require.NoError(t, os.WriteFile(change, text, 0o600))
	rows := func() string { // a checksum of what an import writes
		return testkit.One[string](x.World, `select concat(
			(select md5(string_agg(t::text, '' order by id)) from plays t),
			(select md5(string_agg((to_jsonb(t) - 'version')::text, '' order by id)) from organisations t),
			(select count(*) from audit_entries))`)
	}
	importing := func(condition string) int {
		return x.Count(`pg_stat_activity where application_name = 'dg import' and ` + condition)
	}
	before := rows()
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
			x.Exec(`select pg_terminate_backend(pid) from pg_stat_activity
				where application_name = 'dg import'`)
		}, 1, "dg: nothing was imported: the connection to the database was lost"},
	} {
		lock := x.Begin(`lock table plays in share row exclusive mode`)
		c := apptest.Launch(t, x.On("import", change)...)
		apptest.Until(t, time.Minute, "it is never held", func() bool {
			return importing(`wait_event_type = 'Lock'`) > 0
		})
		blow.strike(c)
		require.Equal(t, blow.status, c.Status(30*time.Second), "%s: %s", blow.name, c.Log.String())
		require.Contains(t, c.Log.String(), blow.says, blow.name)
		require.NoError(t, lock.Rollback(t.Context()))
		apptest.Until(t, time.Minute, "its work goes on", func() bool { return importing(`true`) == 0 })
		require.Equal(t, before, rows(), blow.name)
	}
	x.Exec(`create function full_disk() returns trigger language plpgsql as $$ begin
		raise 'no space left' using errcode = '53100'; end $$`)
	x.Exec(`create trigger full_disk before update on plays execute function full_disk()`)
	c := apptest.Launch(t, x.On("import", change)...)
	require.Equal(t, 1, c.Status(time.Minute))
	require.Contains(t, c.Log.String(), "dg: nothing was imported: the disk of the database is full. Free")
	require.Equal(t, before, rows())
	x.Exec(`drop function full_disk cascade`)
	x.Succeeds("import", change)
	require.NotEqual(t, before, rows())
}
