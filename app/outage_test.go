package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
)

// backWithin is how soon dg serves again after its database came back.
const backWithin = 5 * time.Second

// external is a PostgreSQL that dg did not launch, which can go away and come back under the same URL.
type external struct {
	t      *testing.T
	dir    string
	link   string // where its socket is, whenever it runs
	server *embeddedpg.Server
}

func newExternal(t *testing.T) *external {
	t.Helper()
	return externalOn(t, newFolder(t))
}

func externalOn(t *testing.T, dir string) *external {
	t.Helper()
	x := &external{t: t, dir: dir}
	x.link = filepath.Join(filepath.Dir(x.dir), "socket")
	t.Cleanup(func() { x.stop() })
	x.start()
	return x
}

func (x *external) start() {
	x.t.Helper()
	var err error
	x.server, err = embeddedpg.Start(context.Background(), x.dir, embeddedpg.Options{})
	require.NoError(x.t, err)
	u, err := url.Parse(x.server.URL())
	require.NoError(x.t, err)
	_ = os.Remove(x.link)
	require.NoError(x.t, os.Symlink(u.Query().Get("host"), x.link))
}

// stop waits for the server's end itself: to Stop, a child of this process that another test has just forked is another user of it.
func (x *external) stop() {
	require.NoError(x.t, x.server.Stop(context.Background()))
	<-x.server.Done()
}

// url connects as the role.
func (x *external) url(user *url.Userinfo) string {
	u := url.URL{Scheme: "postgres", User: user, Path: "/dg", RawQuery: url.Values{"host": {x.link}}.Encode()}
	return u.String()
}

func (x *external) serve(args ...string) *child {
	x.t.Helper()
	return launch(x.t, append([]string{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", x.url(url.User("dg_app")), "--migrate-database-url", x.url(url.User("dg_owner"))}, args...)...).untilServing()
}

// Without its database dg answers 503 in the API's error body, and lets nothing pass unauthenticated. It serves again, without a
// restart, once the database is back.
func TestOutageOfTheDatabaseIsAnswered503(t *testing.T) {
	t.Parallel()
	x := newExternal(t)
	c := x.serve("--demo")
	body, status := paste(t, c.out.String())
	require.Equal(t, "200", status)
	token := demoToken(t, c)
	fork := firstFork(t, body)

	for name, goAway := range map[string]func(){
		"in order":      x.stop,
		"by its death":  x.die,
		"in order, 2nd": x.stop,
	} {
		t.Run(name, func(t *testing.T) {
			goAway()
			for _, path := range []string{
				"/api/v1/forks", "/api/v1/forks/" + fork, "/api/v1/forks/" + fork + "/stats?from=2026-01-01&to=2026-01-31",
				"/api/v1/forks/" + fork + "/exports/csv?from=2026-01-01&to=2026-01-31", "/api/v1/nothing", "/readyz",
			} {
				key := token
				if path == "/readyz" {
					key = ""
				}
				begun := time.Now()
				response := ask(t, client(), c.url+path, key)
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.Equal(t, http.StatusServiceUnavailable, response.StatusCode, "%s: %s", path, text)
				code, detail := contractError(t, text)
				require.Equal(t, []string{"unavailable", "ERR_UNAVAILABLE"}, []string{code, detail})
				seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
				require.NoError(t, err)
				require.Positive(t, seconds)
				require.Less(t, time.Since(begun), 5*time.Second, path)
				for _, internal := range []string{"postgres", "dial", "socket", x.link, "SQLSTATE"} {
					require.NotContains(t, strings.ToLower(string(text)), strings.ToLower(internal), "no message shows internals")
				}
			}
			require.Equal(t, http.StatusOK, ask(t, client(), c.url+"/healthz", "").StatusCode, "the process lives")

			x.start()
			back := time.Now()
			until(t, backWithin, "dg does not serve again", func() bool {
				return ask(t, client(), c.url+"/api/v1/forks", token).StatusCode == http.StatusOK &&
					ask(t, client(), c.url+"/api/v1/forks/"+fork+"/exports/csv?from=2026-01-01&to=2026-12-31", token).StatusCode == http.StatusOK &&
					ask(t, client(), c.url+"/readyz", "").StatusCode == http.StatusOK
			})
			t.Logf("dg served again %s after its database did", time.Since(back).Round(time.Millisecond))
		})
	}
	c.stop()
}

// die ends the server by kill -9.
func (x *external) die() {
	x.t.Helper()
	killPostmaster(x.t, x.dir)
	x.stop()
}

func killPostmaster(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, syscall.Kill(postmaster(t, dir), syscall.SIGKILL))
}

// dg exits when its embedded server dies, and says where to look: a supervisor restarts both.
func TestDgExitsWhenItsPostgreSQLDies(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	c := serveOn(t, dir)
	killPostmaster(t, dir)
	require.Equal(t, 1, c.status(15*time.Second))
	require.Contains(t, c.log.String(), "dg: the embedded PostgreSQL has ended: see postgres.log")
	nothingRuns(t, dir, goneWithin)
	serveOn(t, dir).stop()
}
