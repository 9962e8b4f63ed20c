package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// countRows reads an export to its end and returns how many plays it holds.
func countRows(t *testing.T, response *http.Response, body io.Reader) int {
	t.Helper()
	if response.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		require.NoError(t, err)
		body = z
	}
	lines := 0
	for in := bufio.NewReaderSize(body, 256<<10); ; lines++ {
		_, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return lines - 1
		}
		require.NoError(t, err)
	}
}

// rules.md, CSV: a transfer that breaks off fails in every client that looks at the connection. url is dg's or a proxy's.
func (e *exporting) breaksVisibly(t *testing.T, url string) {
	direct := url == e.url
	t.Run("in a write", func(t *testing.T) { e.breaksInAWrite(t, url, direct) })
	t.Run("in a query", func(t *testing.T) { e.breaksInAQuery(t, url, direct) })
	// They do not call everything broken.
	t.Run("not at all", func(t *testing.T) {
		eachClient(t, direct, func(t *testing.T, c exportClient) {
			exit, said := c.start(t, url+e.path, e.token, false)()
			require.Zero(t, exit, "%s", said)
		})
	})
}

// breaksInAWrite pauses the key of a client that does not read: the end of the transfer cuts a chunk in two.
func (e *exporting) breaksInAWrite(t *testing.T, url string, direct bool) {
	eachClient(t, direct, func(t *testing.T, c exportClient) {
		if !c.passes {
			t.Skip("it reads whatever comes")
		}
		finish := c.start(t, url+e.path, e.token, true)
		until(t, 5*time.Second, "no export runs", func() bool { return e.running(t) == 1 })
		e.exec(t, `update organisations set plan = 'team'`)
		defer e.exec(t, `update organisations set plan = 'pro'`)
		until(t, 5*time.Second, "the export runs on", func() bool {
			return read[int](t, e.door, `select count(*) filter (where action = 'export.started') - count(*) filter (where action = 'export.finished') from audit_entries`) == 0
		})
		require.Equal(t, "key_unusable", read[string](t, e.door, `select details->>'outcome' from audit_entries
			where action = 'export.finished' order by at desc limit 1`), "the client has read the whole file")
		c.failed(t, finish, direct)
	})
}

// stalled are the exports that have come to the play at which breaksInAQuery stops them.
const stalled = ` from pg_stat_activity where datname = current_database() and application_name = 'dg exports' and wait_event = 'PgSleep'`

// breaksInAQuery loses the database connection of an export that waits for its middle play, longer than any statement may: every
// client has half of the file.
func (e *exporting) breaksInAQuery(t *testing.T, url string, direct bool) {
	middle := read[string](t, e.door, `select id::text from plays order by started_at, id offset $1 limit 1`, e.plays/2)
	e.exec(t, `create function reached(play uuid) returns boolean language plpgsql as
		$$ begin if play = '`+middle+`' then perform pg_sleep(60); end if; return true; end $$`)
	e.exec(t, `create policy stalled on plays using (reached(id))`)
	e.exec(t, `alter table plays enable row level security`)
	defer e.exec(t, `alter table plays disable row level security; drop policy stalled on plays; drop function reached`)
	eachClient(t, direct, func(t *testing.T, c exportClient) {
		finish := c.start(t, url+e.path, e.token, false)
		until(t, 20*time.Second, "no export waits", func() bool { return read[int](t, e.door, `select count(*)`+stalled) == 1 })
		require.Equal(t, 1, read[int](t, e.door, `select count(pg_terminate_backend(pid))`+stalled))
		c.failed(t, finish, direct)
	})
}

// breaksWhenKilled: the kernel resets the connections of a process that is gone.
func (e *exporting) breaksWhenKilled(t *testing.T) {
	for _, c := range exportClients {
		if c.name == "wget" {
			finish := c.start(t, e.url+e.path, e.token, true)
			e.kill()
			c.failed(t, finish, true)
		}
	}
}
