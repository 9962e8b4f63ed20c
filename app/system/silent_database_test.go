package system

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
)

// From a database that is silent nothing is waited for longer than postgres.SilenceTimeout: every
// request of more than the pools hold gets its 503 by then. When the database answers again, so
// does dg.
func TestSilentDatabaseAnswers503Soon(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 1000)
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), e.URL+"/api/v1/forks", e.Token).StatusCode)
	r.Open.Lock()
	var asking sync.WaitGroup
	for i := range 40 {
		asking.Go(func() {
			begun := time.Now()
			response := apptest.Ask(t, apptest.NewClient(), e.URL+"/api/v1/forks",
				e.MoreTokens[i%4])
			if took := time.Since(begun); response.StatusCode != http.StatusServiceUnavailable ||
				took > postgres.SilenceTimeout+time.Second {
				t.Errorf("status %d after %s", response.StatusCode, took)
			}
		})
	}
	asking.Wait()
	r.Open.Unlock()
	apptest.Until(t, postgres.SilenceTimeout, "dg does not answer again", func() bool {
		return apptest.Ask(t, apptest.NewClient(), e.URL+"/api/v1/forks", e.Token).
			StatusCode == http.StatusOK
	})
}
