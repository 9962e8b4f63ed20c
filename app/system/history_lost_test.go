package system

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// rules.md, Data: an organisation's version never repeats, also when history is lost (failover,
// restore). A title is set and read, the history goes back to before that, and another title is
// set: nobody gets the lost one, from no cache, and its ETag is not current.
func TestLostHistoryIsNotAnswered(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, "--demo")
	token := demoToken(t, c)
	d := apptest.OpenDoor(t, dir)
	get := func(path string, headers ...string) (status int, etag, body string) {
		response := apptest.Ask(t, apptest.NewClient(), c.URL+path, token, headers...)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, response.Header.Get("ETag"), string(text)
	}
	_, _, list := get("/api/v1/forks")
	fork := firstFork(t, list)
	title := func(text string) { d.Do(t, `update forks set title = $2 where id = $1`, fork, text) }

	title("Before")
	get("/api/v1/forks")
	version := apptest.Read[int64](t, d,
		`select o.version from organisations o join forks f on f.org_id = o.id where f.id = $1`,
		fork)
	title("X, which is lost")
	status, lost, body := get("/api/v1/forks")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "X, which is lost")

	// As a restore leaves them: the rows of before, which no trigger sees.
	d.Do(t, `alter table forks disable trigger all; alter table organisations disable trigger all`)
	title("Before")
	d.Do(t,
		`update organisations set version = $2 where id = (select org_id from forks where id = $1)`,
		fork, version)
	d.Do(t, `alter table forks enable trigger all; alter table organisations enable trigger all`)
	title("Y")

	for _, path := range []string{"/api/v1/forks", "/api/v1/forks/" + fork} {
		status, _, body = get(path, "If-None-Match", lost)
		require.Equal(t, http.StatusOK, status, path)
		require.NotContains(t, body, "X, which is lost", path)
		require.Contains(t, body, `"title":"Y"`)
	}
}
