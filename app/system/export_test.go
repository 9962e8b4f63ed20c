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

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
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
		require.NoError(t,
			os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", e.Process.Pid), []byte("5"), 0))
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
