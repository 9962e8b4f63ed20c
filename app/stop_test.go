package main

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

	"dg/modules/exports"
)

// goneWithin is how long the embedded PostgreSQL may outlive a dg that was killed.
const goneWithin = 10 * time.Second

// A kill -9 of dg leaves no PostgreSQL behind, and the next start works and finds the data.
func TestKillLosesNoData(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	first := serveOn(t, dir, "--demo")
	body, status := paste(t, first.out.String())
	require.Equal(t, "200", status)
	require.NotEmpty(t, processesOn(t, dir))
	first.kill()
	t.Logf("nothing was left %s after kill -9", nothingRuns(t, dir, goneWithin).Round(time.Millisecond))

	// Once more, and the next start does not wait for the end of the old server.
	second := serveOn(t, dir, "--demo")
	second.kill()
	third := serveOn(t, dir, "--demo")
	kept, status := paste(t, third.out.String())
	require.Equal(t, "200", status)
	require.Equal(t, body, kept)
	third.stop()
	nothingRuns(t, dir, goneWithin)
}

// When it stops under 20 exports of one organisation, of which four run and the others are answered 503, dg lets them run for
// its grace of 10 s, aborts them visibly, records that and exits with status 0. In every run app/assembly tests this with
// a shorter grace.
func TestStoppingUnderExports(t *testing.T) {
	if !soak {
		t.Skip("takes 20 seconds: DG_SOAK=1 runs it")
	}
	t.Parallel()
	e := startExporting(t, 100_000)
	ended := e.twenty(t)
	begun := time.Now()
	require.NoError(t, e.Process.Signal(syscall.SIGTERM))
	until(t, 5*time.Second, "it does not say that it stops", func() bool { return strings.Contains(e.log.String(), "stopping") })
	_, err := http.Get(e.url + "/healthz")
	require.Error(t, err, "nothing new is taken")
	require.Zero(t, e.status(10*time.Second+5*time.Second), "%s", e.log.String()) // the grace and a few seconds
	took := time.Since(begun)
	t.Logf("dg ended %s after SIGTERM", took.Round(time.Millisecond))
	require.Greater(t, took, 9*time.Second, "running answers have a grace")
	for _, end := range ended {
		require.ErrorIs(t, <-end, syscall.ECONNRESET, "a file that was broken off looks whole")
	}
	require.Equal(t, exports.MaxAtOnceOfOrganisation, read[int](t, e.door, `select count(*) from audit_entries where action = 'export.started'`))
	require.Equal(t, exports.MaxAtOnceOfOrganisation, read[int](t, e.door, `select count(*) from audit_entries
		where action = 'export.finished' and details->>'outcome' = 'server_stopped' and (details->>'rows')::int between 1 and 99999`))
	require.Zero(t, e.running(t))
	require.Zero(t, read[int](t, e.door, `select count(*) from pg_stat_activity where datname = current_database() and application_name ~ '^dg (auth|recheck|reads|exports)$'`), "no connection is left")
}

// twenty asks for 20 exports at once: four are given and read slowly, the others are answered 503.
func (e *exporting) twenty(t *testing.T) (ended []<-chan error) {
	t.Helper()
	const all = 20
	answers := make(chan *http.Response, all)
	var asking sync.WaitGroup
	for i := range all {
		asking.Go(func() { answers <- ask(t, smallWindow(), e.url+e.path, e.more[i%len(e.more)]) })
		select { // clients that were served are reading already
		case response := <-answers:
			ended = e.given(t, ended, response)
		case <-time.After(20 * time.Millisecond):
		}
	}
	go func() { asking.Wait(); close(answers) }()
	for response := range answers {
		ended = e.given(t, ended, response)
	}
	require.Len(t, ended, exports.MaxAtOnceOfOrganisation, "%s", e.log.String())
	return ended
}

func (e *exporting) given(t *testing.T, ended []<-chan error, response *http.Response) []<-chan error {
	if response.StatusCode == http.StatusOK {
		return append(ended, slowly(t, bufio.NewReaderSize(response.Body, 4<<10)))
	}
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.NotEmpty(t, response.Header.Get("Retry-After"))
	return ended
}

// A second Ctrl-C ends dg and its PostgreSQL at once, without the grace.
func TestSecondInterruptSkipsTheGrace(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	h := newHistory(t, 1, 30_000)
	h.importInto(t, dir)
	c := serveOn(t, dir)
	response := ask(t, smallWindow(), c.url+h.csv(), makeKey(t, dir, h.ids.Organisation.String(), "BI").String())
	require.Equal(t, http.StatusOK, response.StatusCode)
	ended := slowly(t, response.Body)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	until(t, 5*time.Second, "it does not say that it stops", func() bool { return strings.Contains(c.log.String(), "stopping") })
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.NotZero(t, c.status(2*time.Second))
	require.Error(t, <-ended)
	nothingRuns(t, dir, goneWithin)
}

// An interrupted start, even while it makes the database, ends soon and leaves nothing that hinders the next.
func TestInterruptedStartLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	for _, moment := range []string{"creating a PostgreSQL data folder", "migrated"} {
		c := launch(t, "serve", "--demo", "--data-dir", dir, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
		until(t, time.Minute, "never: "+moment, func() bool { return strings.Contains(c.log.String(), moment) })
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		if status := c.status(30 * time.Second); status != 0 { // 0: it had begun to serve by then
			require.Equal(t, 1, status)
			require.Contains(t, c.log.String(), "dg: interrupted before it was done\n")
		}
		nothingRuns(t, dir, goneWithin)
	}
	c := serveOn(t, dir, "--demo")
	_, status := paste(t, c.out.String())
	require.Equal(t, "200", status)
	c.stop()
}

// Of two commands at once on an empty folder one makes the database, the other waits for it, and both complete.
func TestTwoCommandsAtOnceOnAnEmptyFolder(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1, 5_000)
	for name, commands := range map[string][2][]string{
		"dg import of one file": {{"import", h.file}, {"import", h.file}},
		"dg demo":               {{"demo"}, {"demo"}},
		"dg migrate":            {{"migrate"}, {"migrate"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newFolder(t)
			var both []*child
			for _, args := range commands {
				both = append(both, launch(t, append(args, "--data-dir", dir)...))
			}
			for _, c := range both {
				require.Zero(t, c.status(time.Minute), "%s", c.log.String())
			}
			nothingRuns(t, dir, goneWithin)
			d := openDoor(t, dir)
			counts := d.tables(t)
			switch commands[0][0] {
			case "import":
				require.Equal(t, h.plays, counts["plays"])
			case "demo":
				require.Equal(t, 2, counts["organisations"])
				require.Equal(t, demoTables(t)["plays"], counts["plays"])
				require.Positive(t, read[int](t, d, `select count(*) from api_keys where revoked_at is null`))
			}
		})
	}
}

// demoTables counts the lines of the demo by their type, as tables are named.
func demoTables(t *testing.T) map[string]int {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "demo", "--print")
	cmd.Env = cleanEnvironment()
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
