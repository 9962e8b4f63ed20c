package system

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// backWithin is how soon dg serves again after its database came back.
const backWithin = 5 * time.Second

// Without its database dg answers 503 in the API's error body, and lets nothing pass
// unauthenticated. It serves again, without a restart, once the database is back.
func TestOutageOfTheDatabaseIsAnswered503(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	c := x.Serve("--demo")
	body, status := paste(t, c.Out.String())
	require.Equal(t, "200", status)
	token := demoToken(t, c)
	fork := firstFork(t, body)

	for name, goAway := range map[string]func(){
		"in order":      x.Stop,
		"by its death":  x.Die,
		"in order, 2nd": x.Stop,
	} {
		t.Run(name, func(t *testing.T) {
			goAway()
			for _, path := range []string{
				"/api/v1/forks", "/api/v1/forks/" + fork,
				"/api/v1/forks/" + fork + "/stats?from=2026-01-01&to=2026-01-31",
				"/api/v1/forks/" + fork + "/exports/csv?from=2026-01-01&to=2026-01-31",
				"/api/v1/nothing", "/readyz",
			} {
				key := token
				if path == "/readyz" {
					key = ""
				}
				begun := time.Now()
				response := apptest.Ask(t, apptest.NewClient(), c.URL+path, key)
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.Equal(t, http.StatusServiceUnavailable, response.StatusCode, "%s: %s", path,
					text)
				code, detail := contractError(t, text)
				require.Equal(t, []string{"unavailable", "ERR_UNAVAILABLE"}, []string{code, detail})
				seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
				require.NoError(t, err)
				require.Positive(t, seconds)
				require.Less(t, time.Since(begun), 5*time.Second, path)
				for _, internal := range []string{
					"postgres", "dial", "socket", x.Link, "SQLSTATE",
				} {
					require.NotContains(t, strings.ToLower(string(text)), strings.ToLower(internal),
						"no message shows internals")
				}
			}
			require.Equal(t, http.StatusOK,
				apptest.Ask(t, apptest.NewClient(), c.URL+"/healthz", "").StatusCode,
				"the process lives")

			x.Start()
			back := time.Now()
			apptest.Until(t, backWithin, "dg does not serve again", func() bool {
				return apptest.Ask(t, apptest.NewClient(), c.URL+"/api/v1/forks", token).
					StatusCode == http.StatusOK &&
					apptest.Ask(t, apptest.NewClient(),
						c.URL+"/api/v1/forks/"+fork+"/exports/csv?from=2026-01-01&to=2026-12-31",
						token).StatusCode == http.StatusOK &&
					apptest.Ask(t, apptest.NewClient(), c.URL+"/readyz", "").
						StatusCode == http.StatusOK
			})
			t.Logf("dg served again %s after its database did",
				time.Since(back).Round(time.Millisecond))
		})
	}
	c.Stop()
}

// dg exits when its embedded server dies, and says where to look: a supervisor restarts both.
func TestDgExitsWhenItsPostgreSQLDies(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir)
	apptest.KillPostmaster(t, dir)
	require.Equal(t, 1, c.Status(15*time.Second))
	require.Contains(t, c.Log.String(), "dg: the embedded PostgreSQL has ended: see postgres.log")
	apptest.NothingRuns(t, dir, goneWithin)
	apptest.ServeOn(t, dir).Stop()
}
