package publicapi_test

import (
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// untilFinished waits for the entry that ends an export.
func (w *world) untilFinished(t *testing.T, h *history) audit.Entry {
	t.Helper()
	var finished audit.Entry
	require.Eventually(t, func() bool {
		entries := w.entries(t, h.id)
		if len(entries) == 0 || entries[0].Action != audit.ExportFinished {
			return false
		}
		finished = entries[0]
		return true
	}, 15*time.Second, 10*time.Millisecond)
	return finished
}

const wholeYear = "/exports/csv?from=2024-01-01&to=2024-12-31"

// rules.md, CSV: the file, its headers, and an entry for its start and its end.
func TestExportIsRecorded(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(30, 30)), 1, 6, 3)
	h.playRandomly(rand.New(rand.NewPCG(30, 31)), 20, day("2024-05-01"), day("2024-05-31"))
	w.load(t, h)
	w.exec(t, `update forks set slug = E'Größe "1"\n/..' where id = $1`, h.forks[0])
	token := w.key(t, h.id)
	got := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token, "User-Agent", "Power Query",
		"X-Request-Id", "my-request-1")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, "text/csv; charset=utf-8", got.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="Grosse-1_2024-01-01_2024-12-31.csv"`,
		got.Header.Get("Content-Disposition"))
	require.Equal(t, "no-store, no-transform", got.Header.Get("Cache-Control"))
	require.Equal(t, 21, strings.Count(got.body, "\n"))

	finished := w.untilFinished(t, h)
	entries := w.entries(t, h.id)
	require.Len(t, entries, 2)
	started := entries[1]
	require.Equal(t, audit.ExportStarted, started.Action)
	id := started.Details["exportId"]
	require.NotEmpty(t, id)
	require.Equal(t, map[string]any{
		"from":          "2024-01-01",
		"to":            "2024-12-31",
		"exportId":      id,
		"reportingMode": "pseudonymous",
	}, started.Details)
	require.Equal(t, map[string]any{
		"from":     "2024-01-01",
		"to":       "2024-12-31",
		"exportId": id,
		"rows":     20.0,
		"outcome":  "completed",
	}, finished.Details)
	for _, e := range entries {
		require.Equal(t, audit.Target{Kind: "fork", ID: h.forks[0]}, e.Target)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: token.ID, Name: "BI"}, e.Actor)
		require.Equal(t, audit.Request{
			Method:    "GET",
			Path:      "/api/v1/forks/" + h.forks[0] + "/exports/csv",
			Address:   "127.0.0.1",
			UserAgent: "Power Query",
			ID:        "my-request-1",
		}, e.Request)
	}

	packed := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token, "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, got.body, string(unpacked))

	group := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear+"&groupId="+h.groups[0].id, token)
	require.Equal(t, "k-anonymity", group.Header.Get("X-DG-Report-Suppressed"))
	require.Equal(t, 1, strings.Count(group.body, "\n"))
	require.Eventually(t, func() bool {
		return len(w.entries(t, h.id)) == 6
	}, 10*time.Second, 10*time.Millisecond, "a suppressed export is one too")
	require.Equal(t, 0.0, w.entries(t, h.id)[0].Details["rows"])
}
