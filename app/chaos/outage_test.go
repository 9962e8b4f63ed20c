package chaos

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// /docs/security, Database outage: while PostgreSQL is killed, each response is correct or a visible failure.
func TestChaosDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	dg := pg.Serve()
	db := pg.World
	var callers []*caller // only waitForSuccess uses the first one
	for range apptest.PickSize(4, 9, 9) {
		callers = append(callers, newCaller(t, db, dg.ListenURL))
	}
	stop := callEverything(callers[1:], apptest.PickSize(30, 50, 50))
	defer stop()
	waitForSuccess(t, callers[0])
	for i := range apptest.PickSize(2, 20, 100) {
		<-time.After(time.Duration(200+rand.IntN(1000)) * time.Millisecond)
		if i%2 == 0 {
			pg.Kill()
			<-time.After(time.Duration(rand.IntN(1500)) * time.Millisecond)
			pg.Start()
		} else {
			killBackend(t, db)
		}
		waitForSuccess(t, callers[0])
	}
	stop()
	db.Owner.Pool.Reset()
	requireCorrectResponses(t, db, dg, callers...)
}

// killBackend kills one of dg's backends. PostgreSQL then ends all sessions and recovers.
func killBackend(t *testing.T, db *testkit.World) {
	pids := testkit.Query[[]int](db, `select array_agg(pid) from pg_stat_activity
		where usename = 'dg_app' and backend_type = 'client backend'`)
	require.NoError(t, syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL))
	answers := func() bool { return db.Owner.Pool.Ping(t.Context()) == nil }
	apptest.WaitUntil(t, 10*time.Second, "the server lives on", func() bool { return !answers() })
	apptest.WaitUntil(t, 30*time.Second, "the server does not recover", answers)
}

func waitForSuccess(t *testing.T, c *caller) {
	defer c.http.CloseIdleConnections()
	for name := range c.calls {
		apptest.WaitUntil(t, time.Minute, "no right answer: "+name, func() bool { return c.call(name) == outcomeRight })
	}
}

// requireCorrectResponses requires that no response was wrong, that audit entries are complete, and that dg is idle.
func requireCorrectResponses(t *testing.T, db *testkit.World, dg *apptest.Child, callers ...*caller) {
	for _, c := range callers {
		t.Logf("%v", &c.outcomes)
		require.Empty(t, c.wrongResponses[:min(5, len(c.wrongResponses))])
		requireEntries(t, db, c.wantEntries)
	}
	require.NotRegexp(t, "panicked|goroutine ", dg.Log.String())
	apptest.WaitUntil(t, 30*time.Second, "requests have left something", func() bool {
		metrics := dg.GetOps("/metrics")
		require.Contains(t, metrics, "\ndg_work_running")
		require.Contains(t, metrics, "\ndg_http_connections_open")
		return !busyMetricPattern.MatchString(metrics) && db.CountRows(`pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid()
			and application_name ~ '^dg (requests|snapshots|recheck)$' and state <> 'idle'`) == 0
	})
}

// requireEntries requires wantEntries in the audit log. Each export.finished needs its export.started.
func requireEntries(t *testing.T, db *testkit.World, wantEntries map[[2]string]int) {
	var ids, actions []string
	var counts []int
	for entry, n := range wantEntries {
		ids = append(ids, entry[0])
		actions = append(actions, entry[1])
		counts = append(counts, n)
	}
	require.Empty(t, testkit.Query[[]string](db, `select coalesce(array_agg(
			format('%s has %s entries %s, not %s', id, n, action, times)), '{}') from (
		select r.*, count(e.request_id) as n from unnest($1::text[], $2::text[], $3::int[]) r (id, action, times)
		  left join audit_entries e on e.request_id = r.id and e.action = r.action
		  group by 1, 2, 3) r where n <> times`, ids, actions, counts))
	require.Zero(t, db.CountRows(`audit_entries f where action = 'export.finished' and not exists (
			select from audit_entries s where s.action = 'export.started' and s.org_id = f.org_id
			  and s.details->>'exportId' = f.details->>'exportId')`))
}

// busyMetricPattern matches unfinished work and open connections. It omits pools: a scrape may use a connection.
var busyMetricPattern = regexp.MustCompile(
	`(?m)^(?:dg_work_running|dg_work_waiting|dg_http_connections_open)[^ ]* [^0]`)

// import.md: an interrupted import imports nothing, and says so unless it is killed. A second run succeeds.
func TestInterruptedImportChangesNothing(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	imported := apptest.NewImportFile(t, 61, 6_000)
	pg.RequireSuccess("migrate")
	pg.RequireSuccess("import", imported.Path)
	text := strings.NewReplacer(`"passed":true`, `"passed":false`, `"plan":"pro"`, `"plan":"enterprise"`).
		Replace(apptest.ReadFile(t, imported.Path))
	change := filepath.Join(t.TempDir(), "change.ndjson")
	require.NoError(t, os.WriteFile(change, []byte(text), 0o600))
	checksums := func() string { // of all that an import may change
		return testkit.Query[string](pg.World, `select concat(
			(select md5(string_agg(t::text, '' order by id)) from plays t),
			(select md5(string_agg((to_jsonb(t) - 'version')::text, '' order by id)) from organisations t),
			(select count(*) from audit_entries))`)
	}
	countRuns := func(condition string) int {
		return pg.CountRows(`pg_stat_activity where application_name = 'dg import' and ` + condition)
	}
	before := checksums()
	for name, interruption := range map[string]struct {
		do      func(*apptest.Child)
		status  int
		message string
	}{
		"kill -9": {(*apptest.Child).Kill, -1, ""},
		"Ctrl-C": {func(c *apptest.Child) { require.NoError(t, c.Process.Signal(os.Interrupt)) }, 1,
			"dg: interrupted: nothing was imported\n"},
		"cut connection": {func(*apptest.Child) {
			pg.Exec(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'dg import'`)
		}, 1, "dg: nothing was imported: the connection to the database was lost"},
	} {
		lock := pg.Begin(`lock table plays in share row exclusive mode`)
		dg := apptest.Launch(t, pg.WithFlags("import", change)...)
		apptest.WaitUntil(t, time.Minute, "no lock", func() bool { return countRuns(`wait_event_type = 'Lock'`) > 0 })
		interruption.do(dg)
		require.Equal(t, interruption.status, dg.ExitStatus(30*time.Second), "%s: %s", name, dg.Log.String())
		require.Contains(t, dg.Log.String(), interruption.message, name)
		require.NoError(t, lock.Rollback(t.Context()))
		apptest.WaitUntil(t, time.Minute, "its work goes on", func() bool { return countRuns(`true`) == 0 })
		require.Equal(t, before, checksums(), name)
	}
	pg.Exec(`create function full_disk() returns trigger language plpgsql as $$ begin
		raise 'no space left' using errcode = '53100'; end $$`)
	pg.Exec(`create trigger full_disk before update on plays execute function full_disk()`)
	require.Contains(t, apptest.RequireExit(t, 1, pg.WithFlags("import", change)),
		"dg: nothing was imported: the disk of the database is full. Free")
	require.Equal(t, before, checksums())
	pg.Exec(`drop function full_disk cascade`)
	pg.RequireSuccess("import", change)
	require.NotEqual(t, before, checksums())
}

func TestMain(m *testing.M) { apptest.Main(m) }
