package system

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// overRelay is a dg that serves one large fork from a database behind a relay.
func overRelay(t *testing.T, plays int) (*apptest.Exporting, *apptest.Relay) {
	t.Helper()
	x := apptest.NewExternal(t)
	r := apptest.NewRelay(t, x)
	h := apptest.NewHistory(t, 1, plays)
	e := &apptest.Exporting{ExportPath: h.CSV(), Plays: plays}
	owner := x.URL(url.User("dg_owner"))
	imported := apptest.Launch(t, "import", "--database-url", x.URL(url.User("dg_app")),
		"--migrate-database-url", owner, h.File)
	require.Zero(t, imported.Status(10*time.Minute), "%s", imported.Log.String())
	for range 4 {
		e.MoreTokens = append(e.MoreTokens,
			makeKeyIn(t, x.URL(url.User("dg_app")), owner, h.IDs.Organisation.String(),
				"Warehouse").
				String())
	}
	e.Token = e.MoreTokens[0]
	e.Child = apptest.Launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", r.URL(), "--migrate-database-url", owner).UntilServing()
	e.Door = &apptest.Door{}
	var err error
	e.Pool, err = pgxpool.New(context.Background(), x.URL(url.User("dg_owner")))
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e, r
}

// While the database does not answer, no key is reported unusable: an export is answered 503 before
// the first byte, and has the outcome database_unavailable after it. dg serves again when the
// database does.
func TestStalledDatabaseIsNotARevokedKey(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 30_000)
	for i := range 4 {
		_, body := e.BeginExportAs(t, e.MoreTokens[i], "running-"+string(rune('a'+i))+"-0000")
		apptest.Slowly(t, body)
	}
	answers := make(chan int, 30)
	var asking sync.WaitGroup
	r.Open.Lock() // the database stops for two seconds
	silent := time.Now()
	for i := range cap(answers) {
		asking.Go(func() {
			response := apptest.Ask(t, apptest.NewClient(), e.URL+e.ExportPath, e.MoreTokens[i%4])
			answers <- response.StatusCode
			_, _ = io.Copy(io.Discard, response.Body)
		})
	}
	<-time.After(2*time.Second - time.Since(silent)) // the length of the silence
	r.Open.Unlock()
	asking.Wait()
	close(answers)
	got := map[int]int{}
	for status := range answers {
		got[status]++
	}
	apptest.Until(t, 30*time.Second, "an export's end is not recorded", func() bool {
		return apptest.Read[int](t, e.Door,
			`select count(*) filter (where action = 'export.started') - count(*) filter (where action = 'export.finished') from audit_entries`) ==
			0
	})
	outcomes := apptest.Read[map[string]int](t, e.Door,
		`select coalesce(json_object_agg(outcome, n), '{}') from
		(select details->>'outcome' as outcome, count(*) as n from audit_entries
		  where action = 'export.finished' group by 1) o`)
	t.Logf("answers %v, outcomes %v", got, outcomes)
	require.Zero(t, got[http.StatusUnauthorized], "%v", got)
	require.Zero(t, outcomes["key_unusable"], "%v", outcomes)
	require.Positive(t, outcomes["database_unavailable"], "no export ran in the silence: %v",
		outcomes)
	for status := range got {
		require.True(t,
			slices.Contains([]int{http.StatusOK, http.StatusServiceUnavailable}, status),
			"%v", got)
	}
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), e.URL+e.ExportPath, e.Token).StatusCode)
}

// When a connection stays silent, the client of an export learns it soon, and dg exits within its
// grace and a few seconds after SIGTERM.
func TestSilentDatabaseAbortsExportsAndDoesNotDelayTheStop(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 50_000)
	_, body := e.BeginExport(t, "black-hole-0001")
	_, err := io.CopyN(io.Discard, body, 64<<10)
	require.NoError(t, err)
	r.Open.Lock()
	defer r.Open.Unlock()
	silent := time.Now()
	_, err = io.Copy(io.Discard, body)
	took := time.Since(silent)
	require.Error(t, err)
	t.Logf("the reader heard %s after the database fell silent", took.Round(time.Millisecond))
	require.Less(t, took, 5*time.Second)

	begun := time.Now()
	require.NoError(t, e.Process.Signal(syscall.SIGTERM))
	e.Status(40 * time.Second)
	took = time.Since(begun)
	t.Logf("dg ended %s after SIGTERM", took.Round(time.Millisecond))
	require.Less(t, took, 20*time.Second)
}

// Dead connections cost one short wait for all of them, not one each.
func TestDeadConnectionsAreReplacedTogether(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 1000)
	everybody := func() time.Duration {
		begun := time.Now()
		var asking sync.WaitGroup
		for i := range 12 {
			asking.Go(func() {
				response := apptest.Ask(t, apptest.NewClient(), e.URL+"/api/v1/forks",
					e.MoreTokens[i%4])
				if response.StatusCode != http.StatusOK {
					t.Errorf("status %d after %s", response.StatusCode, time.Since(begun))
				}
			})
		}
		asking.Wait()
		return time.Since(begun)
	}
	usual := everybody()
	r.Forget()
	// a connection that was idle for less is not asked whether it lives
	<-time.After(1100 * time.Millisecond)
	frozen := everybody()
	t.Logf("12 requests at once: %s, and %s on frozen connections", usual.Round(time.Millisecond),
		frozen.Round(time.Millisecond))
	require.Less(t, frozen, 10*time.Second)
	require.Less(t, everybody(), 10*time.Second)
}

// A URL that asks for results as text is refused at the start: the program reads binary ones.
func TestTextResultsAreRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	for _, mode := range []string{"exec", "simple_protocol"} {
		c := apptest.Launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
			"--database-url", x.URL(url.User("dg_app"))+"&default_query_exec_mode="+mode,
			"--migrate-database-url", x.URL(url.User("dg_owner")))
		apptest.Until(t, 30*time.Second, "it serves with "+mode, func() bool {
			select {
			case <-c.Exited:
				return true
			default:
				return false
			}
		})
		require.Equal(t, 1, c.Status(time.Second))
		require.Contains(t, c.Log.String(), "default_query_exec_mode")
	}
}
