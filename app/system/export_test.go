package system

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// rules.md, CSV, with the bars of `make bench` under DG_SOAK=1.
func TestExportsOfTheRealProgram(t *testing.T) {
	if !apptest.Soak { // there it is timed
		t.Parallel()
	}
	e := apptest.StartExporting(t, apptest.Sized(100_000, 100_000, 1_000_000))
	// Sequential, because they look at PostgreSQL's activity. The last one kills dg.
	t.Run("is streamed whole in little memory", func(t *testing.T) { isStreamed(t, e) })
	t.Run("breaks visibly", func(t *testing.T) { breaksVisibly(t, e, e.URL) })
	t.Run("ends with its client while rows flow", func(t *testing.T) { endsWithItsClient(t, e) })
	t.Run("breaks visibly when dg is killed", func(t *testing.T) {
		wget := exportClients[2]
		finish := wget.start(t, e.URL+e.ExportPath, e.Token, true)
		e.Kill()
		wget.failed(t, finish, true)
	})
}

const (
	exportMemory    = 32 << 20
	firstByteWithin = 50 * time.Millisecond
	cancelledWithin = 100 * time.Millisecond // while rows flow
	cancelledAnyhow = 2 * time.Second
)

func isStreamed(t *testing.T, e *apptest.Exporting) {
	apptest.NeedsProc(t)
	for _, encoding := range []string{"identity", "gzip"} {
		e.Fetch("/api/v1/forks", e.Token)
		idle := e.Memory("VmRSS")
		// resets VmHWM
		require.NoError(t,
			os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", e.Process.Pid), []byte("5"), 0))
		begun := time.Now()
		id := "streamed-" + encoding
		response, body := e.BeginExport(t, id, "Accept-Encoding", encoding)
		first := time.Since(begun)
		rows := countRows(t, response, body)
		above := e.Memory("VmHWM") - idle
		t.Logf("%d plays, %s: first byte after %s, all after %s, %.1f MB above idle", e.Plays, encoding,
			first.Round(100*time.Microsecond), time.Since(begun).Round(time.Millisecond),
			float64(above)/(1<<20))
		require.Equal(t, e.Plays, rows)
		outcome, counted := e.Finished(t, id)
		require.Equal(t, "completed", outcome)
		require.Equal(t, e.Plays, counted)
		require.Less(t, above, exportMemory)
		if apptest.Soak {
			require.Less(t, first, firstByteWithin)
		}
	}
}

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

func endsWithItsClient(t *testing.T, e *apptest.Exporting) {
	response, body := e.BeginExport(t, "client-leaves")
	_, err := io.CopyN(io.Discard, body, 256<<10) // rows flow
	require.NoError(t, err)
	apptest.Until(t, 5*time.Second, "no export runs", func() bool { return e.Running(t) == 1 })
	left := time.Now()
	require.NoError(t, response.Body.Close())
	apptest.Until(t, cancelledAnyhow, "the query runs on", func() bool {
		return e.Running(t) == 0
	})
	if apptest.Soak {
		require.Less(t, time.Since(left), cancelledWithin)
	}
	outcome, rows := e.Finished(t, "client-leaves")
	require.Equal(t, "client_gone", outcome)
	require.Less(t, rows, e.Plays)
}

// rules.md, CSV: a broken transfer fails in every client that checks the connection. url is that of
// dg or of a proxy.
func breaksVisibly(t *testing.T, e *apptest.Exporting, url string) {
	direct := url == e.URL
	t.Run("in a write", func(t *testing.T) { breaksInAWrite(t, e, url, direct) })
	t.Run("in a query", func(t *testing.T) { breaksInAQuery(t, e, url, direct) })
	// Whole files succeed.
	t.Run("not at all", func(t *testing.T) {
		eachClient(t, direct, func(t *testing.T, c exportClient) {
			exit, said := c.start(t, url+e.ExportPath, e.Token, false)()
			require.Zero(t, exit, "%s", said)
		})
	})
}

// breaksInAWrite lets the client stop reading, until the deadline of a block ends the transfer.
func breaksInAWrite(t *testing.T, e *apptest.Exporting, url string, direct bool) {
	eachClient(t, direct, func(t *testing.T, c exportClient) {
		if !c.passes || c.name != "curl" && c.name != "wget" {
			t.Skip("two clients show it, which takes nine seconds each")
		}
		finish := c.start(t, url+e.ExportPath, e.Token, true)
		apptest.Until(t, 5*time.Second, "no export runs", func() bool { return e.Running(t) == 1 })
		apptest.Until(t, 15*time.Second, "the client reads the whole file", func() bool {
			return apptest.Read[bool](t, e.AdminDB, `select coalesce((select action = 'export.finished' and
				details->>'outcome' = 'client_gone' from audit_entries order by at desc, id limit 1), false)`)
		})
		c.failed(t, finish, direct)
	})
}

// stalled selects the exports that breaksInAQuery has stopped.
const stalled = ` from pg_stat_activity where datname = current_database()
	and application_name = 'dg snapshots' and wait_event = 'PgSleep'`

// breaksInAQuery stops an export at its middle play and ends its database connection.
func breaksInAQuery(t *testing.T, e *apptest.Exporting, url string, direct bool) {
	middle := apptest.Read[string](t, e.AdminDB,
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
			return apptest.Read[int](t, e.AdminDB, `select count(*)`+stalled) == 1
		})
		require.Equal(t, 1,
			apptest.Read[int](t, e.AdminDB, `select count(pg_terminate_backend(pid))`+stalled))
		c.failed(t, finish, direct)
	})
}
