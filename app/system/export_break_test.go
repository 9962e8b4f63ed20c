package system

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// rules.md, CSV: a transfer that breaks off fails in every client that looks at the connection. url
// is dg's or a proxy's.
func breaksVisibly(t *testing.T, e *apptest.Exporting, url string) {
	direct := url == e.URL
	t.Run("in a write", func(t *testing.T) { breaksInAWrite(t, e, url, direct) })
	t.Run("in a query", func(t *testing.T) { breaksInAQuery(t, e, url, direct) })
	// They do not call everything broken.
	t.Run("not at all", func(t *testing.T) {
		eachClient(t, direct, func(t *testing.T, c exportClient) {
			exit, said := c.start(t, url+e.ExportPath, e.Token, false)()
			require.Zero(t, exit, "%s", said)
		})
	})
}

// breaksInAWrite pauses the key of a client that does not read: the end of the transfer cuts a
// chunk in two.
func breaksInAWrite(t *testing.T, e *apptest.Exporting, url string, direct bool) {
	eachClient(t, direct, func(t *testing.T, c exportClient) {
		if !c.passes {
			t.Skip("it reads whatever comes")
		}
		finish := c.start(t, url+e.ExportPath, e.Token, true)
		apptest.Until(t, 5*time.Second, "no export runs", func() bool { return e.Running(t) == 1 })
		e.Do(t, `update organisations set plan = 'team'`)
		defer e.Do(t, `update organisations set plan = 'pro'`)
		apptest.Until(t, 5*time.Second, "the client reads the whole file", func() bool {
			return apptest.Read[bool](t, e.Door, `select coalesce((select action = 'export.finished' and
				details->>'outcome' = 'key_unusable' from audit_entries order by at desc, id limit 1), false)`)
		})
		c.failed(t, finish, direct)
	})
}

// stalled are the exports that have come to the play at which breaksInAQuery stops them.
const stalled = ` from pg_stat_activity where datname = current_database()
	and application_name = 'dg exports' and wait_event = 'PgSleep'`

// breaksInAQuery loses the database connection of an export that waits for its middle play, longer
// than any statement may: every client has half of the file.
func breaksInAQuery(t *testing.T, e *apptest.Exporting, url string, direct bool) {
	middle := apptest.Read[string](t, e.Door,
		`select id::text from plays order by started_at, id offset $1 limit 1`, e.Plays/2)
	e.Do(t, `create function reached(play uuid) returns boolean language plpgsql as
		$$ begin if play = '`+middle+`' then perform pg_sleep(60); end if; return true; end $$`)
	e.Do(t, `create policy stalled on plays using (reached(id));
		alter table plays enable row level security`)
	defer e.Do(t, `alter table plays disable row level security;
		drop policy stalled on plays; drop function reached`)
	eachClient(t, direct, func(t *testing.T, c exportClient) {
		finish := c.start(t, url+e.ExportPath, e.Token, false)
		apptest.Until(t, 20*time.Second, "no export waits", func() bool {
			return apptest.Read[int](t, e.Door, `select count(*)`+stalled) == 1
		})
		require.Equal(t, 1,
			apptest.Read[int](t, e.Door, `select count(pg_terminate_backend(pid))`+stalled))
		c.failed(t, finish, direct)
	})
}
