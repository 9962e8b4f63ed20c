package assembly_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A request closes what it opens: whether a report or an export is answered, suppressed, refused or
// fails, no connection and no place is held after the answer.
func TestNoReportStaysOpen(t *testing.T) {
	n := newNeighbours(t, nil)
	players := n.Players(n.acme.ID, 6)
	n.Plays(n.acme.fork, 60, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Minute)
	const period = "?from=2026-03-01&to=2026-03-31"
	statuses := map[string]int{ // of the API and of a screen that is found, or not
		"":                                 http.StatusOK,
		n.Group(n.acme.ID, players...):     http.StatusOK,
		n.Group(n.acme.ID, players[:2]...): http.StatusOK,
		n.foreignGroup:                     http.StatusNotFound,
		n.acme.fork.ID:                     http.StatusNotFound,
	}
	ask := func(failed bool) {
		t.Helper()
		for group, status := range statuses {
			for path, call := range map[string]func(path string) int{
				"/" + n.acme.fork.ID + "/stats":             n.apiStatus,
				"/" + n.acme.fork.ID + "/exports/csv":       n.apiStatus,
				"/reports/" + n.acme.fork.ID:                n.screenStatus,
				"/reports/" + n.acme.fork.ID + "/plays.csv": n.screenStatus,
			} {
				if path += period; group != "" {
					path += "&groupId=" + group
				}
				if got := call(path); !failed {
					require.Equal(t, status, got, path)
				}
				n.holdsNothing(path)
			}
		}
	}
	ask(false)
	n.Exec(`alter table plays rename score to unread`)
	require.Equal(t, http.StatusInternalServerError,
		n.apiStatus("/"+n.acme.fork.ID+"/stats"+period))
	ask(true)
}

// apiStatus asks the API for the headers, and then for the answer.
func (n neighbours) apiStatus(path string) int {
	n.T.Helper()
	request, err := http.NewRequestWithContext(n.T.Context(), http.MethodHead,
		n.Base+"/api/v1/forks"+path, http.NoBody)
	require.NoError(n.T, err)
	request.Header.Set("Authorization", "Bearer "+n.acme.key.Token())
	response, err := http.DefaultClient.Do(request)
	require.NoError(n.T, err)
	require.NoError(n.T, response.Body.Close())
	n.holdsNothing("HEAD " + path)
	return first(n.ask(path))
}

func (n neighbours) screenStatus(path string) int {
	n.T.Helper()
	return first(n.screen(path, nil))
}

// holdsNothing waits until no connection and no place is held.
func (n neighbours) holdsNothing(after string) {
	n.T.Helper()
	require.Eventually(n.T, func() bool {
		pools := n.Pools
		return pools.Reads.Pool.Stat().AcquiredConns() == 0 &&
			pools.Exports.Pool.Stat().AcquiredConns() == 0 && n.value("dg_work_running") == 0
	}, 10*time.Second, time.Millisecond, after)
}
