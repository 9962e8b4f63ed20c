package system

import (
	"bufio"
	"compress/gzip"
	"errors"
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
)

// rules.md, CSV, with the bars of `make bench` under DG_SOAK=1.
func TestExportsOfTheRealProgram(t *testing.T) {
	if !apptest.Soak { // there it is timed
		t.Parallel()
	}
	e := apptest.StartExporting(t, apptest.Sized(60_000, 1_000_000))
	// One after the other: they look at what PostgreSQL works on. The last one kills dg.
	t.Run("is streamed whole in little memory", func(t *testing.T) { isStreamed(t, e) })
	t.Run("breaks visibly", func(t *testing.T) { breaksVisibly(t, e, e.URL) })
	t.Run("ends with its client while rows flow", func(t *testing.T) { endsWithItsClient(t, e) })
	t.Run("ends with its client while the query waits", func(t *testing.T) {
		endsWhileTheQueryWaits(t, e)
	})
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
		// VmHWM begins anew
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
	apptest.Until(t, cancelledAnyhow, "the query runs on for nobody", func() bool {
		return e.Running(t) == 0
	})
	if apptest.Soak {
		require.Less(t, time.Since(left), cancelledWithin)
	}
	outcome, rows := e.Finished(t, "client-leaves")
	require.Equal(t, "client_gone", outcome)
	require.Less(t, rows, e.Plays)
}

// The client leaves before PostgreSQL has given a row: nothing is written that could fail.
func endsWhileTheQueryWaits(t *testing.T, e *apptest.Exporting) {
	defer held(t, e.Door, `lock table plays in access exclusive mode`)()
	conn, err := net.Dial("tcp", strings.TrimPrefix(e.URL, "http://"))
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
		e.ExportPath, e.Token)
	require.NoError(t, err)
	waiting := func() bool {
		return apptest.Read[int](t, e.Door, `select count(*) from pg_stat_activity
			where datname = current_database() and application_name = 'dg exports'
			and state = 'active' and wait_event_type = 'Lock'`) == 1
	}
	apptest.Until(t, 5*time.Second, "the export does not wait", waiting)
	require.NoError(t, conn.Close())
	// Its lock would be waited for two seconds: less than that is the client's doing.
	apptest.Until(t, cancelledAnyhow-300*time.Millisecond, "the query waits on for nobody",
		func() bool { return !waiting() })
}
