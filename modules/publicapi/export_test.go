package publicapi_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

const wholeYear = "/exports/csv?from=2024-01-01&to=2024-12-31"

// rules.md, CSV and Audit log: the file, its headers, and the entries of its start and end with the
// key as the actor. Package exports proves their details.
func TestExportIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHistory(1, 6, 3)
	h.playRandomly(rand.New(rand.NewPCG(30, 30)), 20, day("2024-05-01"), day("2024-05-31"))
	w := start(t, h)
	token := w.key(t, h.id)
	path := "/api/v1/forks/" + h.forks[0] + wholeYear
	got := w.get(t, path, token, "User-Agent", "Power Query", "X-Request-Id", "my-request-1")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, "text/csv; charset=utf-8", got.Header.Get("Content-Type"))
	require.Equal(t, "no-store, no-transform", got.Header.Get("Cache-Control"))
	require.Equal(t, 21, strings.Count(got.body, "\n"))
	var entries []audit.Entry
	require.Eventually(t, func() bool {
		entries = w.entries(t, h.id)
		return len(entries) == 2
	}, 15*time.Second, 10*time.Millisecond)
	require.Equal(t, audit.ExportFinished, entries[0].Action)
	require.Equal(t, audit.ExportStarted, entries[1].Action)
	for _, e := range entries {
		require.Equal(t, audit.Target{Kind: "fork", ID: h.forks[0]}, e.Target)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: token.ID, Name: "Warehouse"}, e.Actor)
		require.Equal(t, audit.Request{
			Method: "GET", Path: strings.Split(path, "?")[0], Address: "127.0.0.1",
			UserAgent: "Power Query", ID: "my-request-1",
		}, e.Request)
	}
}
