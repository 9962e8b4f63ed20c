package system

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// rules.md, CSV. make bench measures the time.
func TestExportsOfTheRealProgram(t *testing.T) {
	t.Parallel()
	db := testkit.New(t)
	plays := apptest.Sized(100_000, 100_000, 1_000_000)
	e := apptest.StartExportServer(t, db, plays, db.Flags()...)
	// Sequential, because they look at PostgreSQL's activity. The last one kills dg.
	t.Run("is streamed whole in little memory", func(t *testing.T) { isStreamed(t, e) })
	t.Run("breaks visibly", func(t *testing.T) { breaksVisibly(t, e, e.URL) })
	t.Run("breaks visibly when dg is killed", func(t *testing.T) {
		breaksInAQuery(t, e, e.URL, "wget", e.Kill)
	})
}

func isStreamed(t *testing.T, e *apptest.ExportServer) {
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
	for _, encoding := range []string{"identity", "gzip"} {
		e.Fetch("/api/v1/forks", e.Token)
		idle := e.Memory("VmRSS")
		// resets VmHWM
		require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", e.Process.Pid), []byte("5"), 0))
		id := "streamed-" + encoding
		response, body := e.BeginExport(t, id, "Accept-Encoding", encoding)
		rows := countRows(t, response, body)
		above := e.Memory("VmHWM") - idle
		t.Logf("%d plays, %s: %.1f MB above idle", e.Plays, encoding, float64(above)/(1<<20))
		require.Equal(t, e.Plays, rows)
		outcome, counted := e.Finished(t, id)
		require.Equal(t, "completed", outcome)
		require.Equal(t, e.Plays, counted)
		require.Less(t, above, 32<<20)
	}
}

func countRows(t *testing.T, response *http.Response, body io.Reader) int {
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

// exportClients are programs that read an export, and their exit status after a reset.
var exportClients = map[string]struct {
	command string
	exit    int
}{
	"curl": {`exec curl -sS -f -o /dev/null -H "Authorization: Bearer $KEY" "$URL"`, 56},
	"wget": {`exec wget -nv -t 1 -O /dev/null --header "Authorization: Bearer $KEY" "$URL"`, 4},
	// By default it tries to resume. The answer to its Range is no whole file, which it would append.
	"wget by default": {`cd "$(mktemp -d)" && wget -nv -O plays.csv --header "Authorization: Bearer $KEY" "$URL"; ` +
		`exit=$?; [ "$(grep -c ^playId plays.csv)" = 1 ] && exit $exit`, 8},
}

func startClient(t *testing.T, name, url, key string) (finish func() int) {
	if _, err := exec.LookPath(strings.Fields(name)[0]); err != nil {
		tb.SkipOrFail(t, err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", exportClients[name].command)
	cmd.Env = append(os.Environ(), "URL="+url, "KEY="+key)
	require.NoError(t, cmd.Start())
	return func() int {
		_ = cmd.Wait() // the status says it
		return cmd.ProcessState.ExitCode()
	}
}

// rules.md, CSV: a broken transfer fails in a client that checks the connection, and a whole one
// does not. url is that of dg or of a proxy.
func breaksVisibly(t *testing.T, e *apptest.ExportServer, url string) {
	for name := range exportClients {
		breaksInAQuery(t, e, url, name, func() {
			require.Equal(t, 1, testkit.One[int](e.World, `select count(pg_terminate_backend(pid))`+stalled))
		})
		require.Zero(t, startClient(t, name, url+e.ExportPath, e.Token)(), name)
	}
}

// stalled selects the exports that breaksInAQuery has stopped.
const stalled = ` from pg_stat_activity where datname = current_database()
	and application_name = 'dg snapshots' and wait_event = 'PgSleep'`

func breaksInAQuery(t *testing.T, e *apptest.ExportServer, url, client string, breakOff func()) {
	middle := testkit.One[string](e.World,
		`select id::text from plays order by started_at, id offset $1 limit 1`, e.Plays/2)
	e.Exec(`create function reached(play uuid) returns boolean language plpgsql as
		$$ begin if play = '` + middle + `' then perform pg_sleep(60); end if; return true; end $$`)
	e.Exec(`create policy stalled on plays using (reached(id));
		alter table plays enable row level security`)
	defer e.Exec(`alter table plays disable row level security;
		drop policy stalled on plays; drop function reached`)
	finish := startClient(t, client, url+e.ExportPath, e.Token)
	apptest.Until(t, 20*time.Second, "no export waits", func() bool {
		return testkit.One[int](e.World, `select count(*)`+stalled) == 1
	})
	breakOff()
	exit := finish()
	if url == e.URL { // behind a proxy it is another one
		require.Equal(t, exportClients[client].exit, exit, client)
	}
	require.NotZero(t, exit, client)
}
