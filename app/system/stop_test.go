package system

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/exports"
)

// goneWithin is how long the embedded PostgreSQL may outlive a dg that was killed.
const goneWithin = 10 * time.Second

// A kill -9 of dg leaves no PostgreSQL behind, and the next start works and finds the data.
func TestKillLosesNoData(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	first := apptest.ServeOn(t, dir, "--demo")
	body, status := paste(t, first.Out.String())
	require.Equal(t, "200", status)
	require.NotEmpty(t, apptest.ProcessesOn(t, dir))
	first.Kill()
	t.Logf("nothing was left %s after kill -9",
		apptest.NothingRuns(t, dir, goneWithin).Round(time.Millisecond))

	// Once more, and the next start does not wait for the end of the old server.
	second := apptest.ServeOn(t, dir, "--demo")
	second.Kill()
	third := apptest.ServeOn(t, dir, "--demo")
	kept, status := paste(t, third.Out.String())
	require.Equal(t, "200", status)
	require.Equal(t, body, kept)
	third.Stop()
	apptest.NothingRuns(t, dir, goneWithin)
}

// When it stops under 20 exports of one organisation, of which four run and the others are answered
// 503, dg lets them run for its grace of 10 s, aborts them visibly, records that and exits with
// status 0. In every run app/assembly tests this with a shorter grace.
func TestStoppingUnderExports(t *testing.T) {
	if !apptest.Soak {
		t.Skip("takes 20 seconds: DG_SOAK=1 runs it")
	}
	t.Parallel()
	e := apptest.StartExporting(t, 100_000)
	ended := twenty(t, e)
	begun := time.Now()
	require.NoError(t, e.Process.Signal(syscall.SIGTERM))
	apptest.Until(t, 5*time.Second, "it does not say that it stops", func() bool {
		return strings.Contains(e.Log.String(), "stopping")
	})
	_, err := http.Get(e.URL + "/healthz")
	require.Error(t, err, "nothing new is taken")
	// the grace and a few seconds
	require.Zero(t, e.Status(10*time.Second+5*time.Second), "%s", e.Log.String())
	took := time.Since(begun)
	t.Logf("dg ended %s after SIGTERM", took.Round(time.Millisecond))
	require.Greater(t, took, 9*time.Second, "running answers have a grace")
	for _, end := range ended {
		require.ErrorIs(t, <-end, syscall.ECONNRESET, "a file that was broken off looks whole")
	}
	require.Equal(t, exports.MaxAtOnceOfOrganisation,
		apptest.Read[int](t, e.Door,
			`select count(*) from audit_entries where action = 'export.started'`))
	require.Equal(t, exports.MaxAtOnceOfOrganisation,
		apptest.Read[int](t, e.Door, `select count(*) from audit_entries
		where action = 'export.finished' and details->>'outcome' = 'server_stopped'
		  and (details->>'rows')::int between 1 and 99999`))
	require.Zero(t, e.Running(t))
	require.Zero(t,
		apptest.Read[int](t, e.Door,
			`select count(*) from pg_stat_activity
				where datname = current_database() and application_name ~ '^dg (auth|recheck|reads|exports)$'`),
		"no connection is left")
}

// twenty asks for 20 exports at once: four are given and read slowly, the others are answered 503.
func twenty(t *testing.T, e *apptest.Exporting) (ended []<-chan error) {
	t.Helper()
	const all = 20
	answers := make(chan *http.Response, all)
	var asking sync.WaitGroup
	for i := range all {
		asking.Go(func() {
			answers <- apptest.Ask(t, apptest.SmallWindowClient(), e.URL+e.ExportPath,
				e.MoreTokens[i%len(e.MoreTokens)])
		})
		select { // clients that were served are reading already
		case response := <-answers:
			ended = given(t, e, ended, response)
		case <-time.After(20 * time.Millisecond):
		}
	}
	go func() {
		asking.Wait()
		close(answers)
	}()
	for response := range answers {
		ended = given(t, e, ended, response)
	}
	require.Len(t, ended, exports.MaxAtOnceOfOrganisation, "%s", e.Log.String())
	return ended
}

func given(
	t *testing.T, e *apptest.Exporting, ended []<-chan error, response *http.Response,
) []<-chan error {
	if response.StatusCode == http.StatusOK {
		return append(ended, apptest.Slowly(t, bufio.NewReaderSize(response.Body, 4<<10)))
	}
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.NotEmpty(t, response.Header.Get("Retry-After"))
	return ended
}

// A second Ctrl-C ends dg and its PostgreSQL at once, without the grace.
func TestSecondInterruptSkipsTheGrace(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 1, 30_000)
	h.ImportInto(t, dir)
	c := apptest.ServeOn(t, dir)
	response := apptest.Ask(t, apptest.SmallWindowClient(), c.URL+h.CSV(),
		makeKey(t, dir, h.IDs.Organisation.String(), "BI").String())
	require.Equal(t, http.StatusOK, response.StatusCode)
	ended := apptest.Slowly(t, response.Body)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	apptest.Until(t, 5*time.Second, "it does not say that it stops", func() bool {
		return strings.Contains(c.Log.String(), "stopping")
	})
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.NotZero(t, c.Status(2*time.Second))
	require.Error(t, <-ended)
	apptest.NothingRuns(t, dir, goneWithin)
}

// An interrupted start, even while it makes the database, ends soon and leaves nothing that hinders
// the next.
func TestInterruptedStartLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	for _, moment := range []string{"creating a PostgreSQL data folder", "migrated"} {
		c := apptest.Launch(t, "serve", "--demo", "--data-dir", dir, "--addr", "127.0.0.1:0",
			"--ops-addr", "127.0.0.1:0")
		apptest.Until(t, time.Minute, "never: "+moment, func() bool {
			return strings.Contains(c.Log.String(), moment)
		})
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		if status := c.Status(30 * time.Second); status != 0 { // 0: it had begun to serve by then
			require.Equal(t, 1, status)
			require.Contains(t, c.Log.String(), "dg: interrupted before it was done\n")
		}
		apptest.NothingRuns(t, dir, goneWithin)
	}
	c := apptest.ServeOn(t, dir, "--demo")
	_, status := paste(t, c.Out.String())
	require.Equal(t, "200", status)
	c.Stop()
}

// Of two commands at once on an empty folder one makes the database, the other waits for it, and
// both complete.
func TestTwoCommandsAtOnceOnAnEmptyFolder(t *testing.T) {
	t.Parallel()
	h := apptest.NewHistory(t, 1, 5_000)
	for name, commands := range map[string][2][]string{
		"dg import of one file": {{"import", h.File}, {"import", h.File}},
		"dg demo":               {{"demo"}, {"demo"}},
		"dg migrate":            {{"migrate"}, {"migrate"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := apptest.NewFolder(t)
			var both []*apptest.Child
			for _, args := range commands {
				both = append(both, apptest.Launch(t, append(args, "--data-dir", dir)...))
			}
			for _, c := range both {
				require.Zero(t, c.Status(time.Minute), "%s", c.Log.String())
			}
			apptest.NothingRuns(t, dir, goneWithin)
			d := apptest.OpenDoor(t, dir)
			counts := d.Tables(t)
			switch commands[0][0] {
			case "import":
				require.Equal(t, h.Plays, counts["plays"])
			case "demo":
				require.Equal(t, 2, counts["organisations"])
				require.Equal(t, demoTables(t)["plays"], counts["plays"])
				require.Positive(t,
					apptest.Read[int](t, d,
						`select count(*) from api_keys where revoked_at is null`))
			}
		})
	}
}

// demoTables counts the lines of the demo by their type, as tables are named.
func demoTables(t *testing.T) map[string]int {
	t.Helper()
	program, err := apptest.Binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "demo", "--print")
	cmd.Env = apptest.CleanEnvironment()
	out, err := cmd.Output()
	require.NoError(t, err)
	counts := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var typ string
		_, err := fmt.Sscanf(line, `{"type":%q`, &typ)
		require.NoError(t, err, line)
		counts[typ+"s"]++
	}
	return counts
}
