package system

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/exports"
	"dg/platform/limiter"
)

// rules.md, CSV, with the bars of `make bench` under DG_SOAK=1.
func TestExportsOfTheRealProgram(t *testing.T) {
	if !apptest.Soak { // there it is timed
		t.Parallel()
	}
	e := apptest.StartExporting(t, apptest.Sized(60_000, 1_000_000))
	// One after the other: they look at what PostgreSQL works on.
	t.Run("is streamed whole in little memory", func(t *testing.T) { isStreamed(t, e) })
	t.Run("breaks visibly", func(t *testing.T) { breaksVisibly(t, e, e.URL) })
	t.Run("ends with its client while rows flow", func(t *testing.T) { endsWithItsClient(t, e) })
	t.Run("ends with its client while the query waits", func(t *testing.T) {
		endsWhileTheQueryWaits(t, e)
	})
	if apptest.Soak { // in every run platform/httpserver and app/assembly test these
		t.Run("aborts for a reader that stalls", func(t *testing.T) {
			abortsForStalledReader(t, e)
		})
		t.Run("serves a steady reader of 50 KB/s", func(t *testing.T) { servesASlowReader(t, e) })
		t.Run("runs at most four times at once for an organisation", func(t *testing.T) {
			isBounded(t, e)
		})
	}
	// the last: it is
	t.Run("breaks visibly when dg is killed", func(t *testing.T) { breaksWhenKilled(t, e) })
}

const (
	exportMemory     = 64 << 20
	firstByteWithin  = 50 * time.Millisecond
	cancelledWithin  = 100 * time.Millisecond // while rows flow
	cancelledAnyhow  = 2 * time.Second
	stalledAtTheMost = 10 * time.Second
)

func isStreamed(t *testing.T, e *apptest.Exporting) {
	apptest.NeedsProc(t)
	for _, encoding := range []string{"identity", "gzip"} {
		_, err := io.ReadAll(
			apptest.Ask(t, apptest.NewClient(), e.URL+"/api/v1/forks", e.Token).Body,
		)
		require.NoError(t, err)
		idle := e.Memory("VmRSS")
		// VmHWM begins anew
		require.NoError(t,
			os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", e.Process.Pid), []byte("5"), 0))
		begun := time.Now()
		id := "streamed-" + encoding
		response, body := e.BeginExport(t, id, "Accept-Encoding", encoding)
		first := time.Since(begun)
		rows := countRows(t, response, body)
		took := time.Since(begun)
		above := e.Memory("VmHWM") - idle
		t.Logf("%d plays, %s: first byte after %s, all after %s, %.1f MB above idle (%.1f MB)",
			e.Plays, encoding, first.Round(100*time.Microsecond), took.Round(time.Millisecond),
			float64(above)/(1<<20), float64(idle)/(1<<20))

		require.Equal(t, e.Plays, rows)
		outcome, counted := e.Finished(t, id)
		require.Equal(t, "completed", outcome)
		require.Equal(t, e.Plays, counted)
		require.Positive(t, idle)
		require.Less(t, above, exportMemory)
		if apptest.Soak {
			require.Less(t, first, firstByteWithin)
		}
	}
}

func endsWithItsClient(t *testing.T, e *apptest.Exporting) {
	response, body := e.BeginExport(t, "client-leaves")
	_, err := io.CopyN(io.Discard, body, 256<<10) // rows flow
	require.NoError(t, err)
	apptest.Until(t, 5*time.Second, "not as many exports run", func() bool {
		return e.Running(t) == 1
	})
	left := time.Now()
	require.NoError(t, response.Body.Close())
	apptest.Until(t, cancelledAnyhow, "the query runs on for nobody", func() bool {
		return e.Running(t) == 0
	})
	took := time.Since(left)
	t.Logf("the query was cancelled %s after its client left", took.Round(time.Millisecond))
	if apptest.Soak {
		require.Less(t, took, cancelledWithin)
	}
	outcome, rows := e.Finished(t, "client-leaves")
	require.Equal(t, "client_gone", outcome)
	require.Less(t, rows, e.Plays)
}

// The client leaves before PostgreSQL has given a row: nothing is written that could fail.
func endsWhileTheQueryWaits(t *testing.T, e *apptest.Exporting) {
	tx, err := e.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp",
		strings.TrimPrefix(e.URL, "http://"))
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
		e.ExportPath, e.Token)
	require.NoError(t, err)
	const waiting = `select count(*) from pg_stat_activity where datname = current_database()
		and application_name = 'dg exports' and state = 'active' and wait_event_type = 'Lock'`
	apptest.Until(t, 5*time.Second, "the export does not wait", func() bool {
		return apptest.Read[int](t, e.Door, waiting) == 1
	})
	left := time.Now()
	require.NoError(t, conn.Close())
	// Its lock would be waited for two seconds: less than that is the client's doing.
	apptest.Until(t, cancelledAnyhow-300*time.Millisecond, "the query waits on for nobody",
		func() bool { return apptest.Read[int](t, e.Door, waiting) == 0 })
	t.Logf("the waiting query was cancelled %s after its client left",
		time.Since(left).Round(time.Millisecond))
}

func abortsForStalledReader(t *testing.T, e *apptest.Exporting) {
	_, body := e.BeginExport(t, "client-stalls")
	_, err := io.CopyN(io.Discard, body, 64<<10)
	require.NoError(t, err)
	stalled := time.Now()
	apptest.Until(t, 5*time.Second, "not as many exports run", func() bool {
		return e.Running(t) == 1
	})
	apptest.Until(t, stalledAtTheMost, "a reader that stalls keeps its connection", func() bool {
		return e.Running(t) == 0
	})
	t.Logf("a stalled reader was let go after %s", time.Since(stalled).Round(time.Millisecond))
	outcome, rows := e.Finished(t, "client-stalls")
	require.Equal(t, "client_gone", outcome)
	require.Less(t, rows, e.Plays)
	_, err = io.Copy(io.Discard, body)
	require.Error(t, err, "what it reads later is visibly not the whole file")
}

func servesASlowReader(t *testing.T, e *apptest.Exporting) {
	const rate = 50_000
	const size = 10_000_000
	response, body := e.BeginExport(t, "client-slow")
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for read := 0; read < size; read += rate / 10 {
		<-tick.C
		_, err := io.CopyN(io.Discard, body, rate/10)
		require.NoError(t, err, "after %d bytes", read)
	}
	require.NoError(t, response.Body.Close())
	e.Finished(t, "client-slow")
}

// An organisation gets four of the pool's eight connections. A request beyond them waits, and is
// then answered with Retry-After.
func isBounded(t *testing.T, e *apptest.Exporting) {
	for i := range exports.MaxAtOnceOfOrganisation {
		_, body := e.BeginExportAs(t, e.MoreTokens[i%len(e.MoreTokens)],
			fmt.Sprintf("bounded-%d", i))
		apptest.Slowly(t, body)
	}
	apptest.Until(t, 5*time.Second, "not as many exports run", func() bool {
		return e.Running(t) == exports.MaxAtOnceOfOrganisation
	})
	begun := time.Now()
	response := apptest.Ask(t, apptest.NewClient(), e.URL+e.ExportPath, e.Token)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, "5", response.Header.Get("Retry-After"))
	require.Less(t, time.Since(begun), limiter.Wait+3*time.Second)
	code, detail := contractError(t, text)
	require.Equal(t, []string{"unavailable", "ERR_UNAVAILABLE"}, []string{code, detail})
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), e.URL+"/api/v1/forks", e.Token).StatusCode,
		"the exports starve nobody else")
}
