package system

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

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
		t.Skipf("SKIPPED, NOTHING WAS TESTED: there is no %s", name)
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
			require.Equal(t, 1, testkit.One[int](e.World,
				`select count(pg_terminate_backend(pid))`+stalled))
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
