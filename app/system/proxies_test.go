package system

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// proxied is a dg behind one of the proxies of configs/deploy.
type proxied struct {
	*apptest.Exporting
	public *http.Client // speaks to the proxy, from 127.0.0.2
	slow   *http.Client // the same, and what it does not read is not sent
}

// The examples of configs/deploy, with this test's addresses: what clients get through them is what
// dg sends.
func TestProxyExamples(t *testing.T) {
	t.Parallel()
	for name := range apptest.ProxyArguments {
		t.Run(name, func(t *testing.T) {
			p := proxied{Exporting: apptest.BehindProxy(t)}
			address := apptest.StartProxy(t, name, strings.TrimPrefix(p.URL, "http://"))
			if address == "" {
				t.Skipf("SKIPPED, NOTHING WAS TESTED: there is no %s", name)
			}
			p.public = apptest.ClientOf(address, 0)
			p.slow = apptest.ClientOf(address, 110<<10)
			p.answersAlike(t)
			p.knowsTheClient(t)
			p.exportsWhole(t)
			p.breaksVisibly(t)
			// Without TLS, which tells a client of a broken connection itself.
			breaksVisibly(t, p.Exporting,
				"http://"+
					apptest.StartProxy(t, name, strings.TrimPrefix(p.URL, "http://"),
						apptest.WithoutTLS()...))
		})
	}
}

// answersAlike asks what proxies like to answer themselves or to rewrite: large headers, dot
// segments, HEAD, 304.
func (p proxied) answersAlike(t *testing.T) {
	t.Helper()
	list := p.URL + "/api/v1/forks"
	tag := apptest.Ask(t, apptest.NewClient(), list, p.Token).Header.Get("ETag")
	for _, q := range []struct {
		method, path string
		headers      []string
	}{
		{"GET", "/api/v1/forks", nil}, {"HEAD", "/api/v1/forks", nil},
		{"GET", "/api/v1/forks", []string{"If-None-Match", tag}},
		{"GET", "/api/v1//forks", nil}, {"GET", "/api/v1/%2e%2e/forks", nil},
		{"GET", "/api/v1/forks%2Fx", nil}, {"GET", "/API/v1/forks", nil},
		{"DELETE", "/api/v1/forks", nil},
		{"GET", "/api/v1/forks", []string{"X-Long", strings.Repeat("x", 20<<10)}},
		{"GET", "/api/v1/forks?" + strings.Repeat("x", 20<<10), nil}, {"GET", "/sign-in", nil},
		{"GET", "/openapi/v1.json", nil},
	} {
		direct := p.send(t, apptest.NewClient(), p.URL, q.method, q.path, q.headers)
		through := p.send(t, p.public, apptest.PublicURL, q.method, q.path, q.headers)
		require.Equal(t, direct, through, "%s %.60s", q.method, q.path)
	}
}

// received is what a client sees of a response.
type received struct {
	status           int
	body, etag, kind string
}

func (p proxied) send(
	t *testing.T, c *http.Client, base, method, path string, headers []string,
) received {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, base+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+p.Token)
	request.Host = "dg.example.org"
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	return received{response.StatusCode, apptest.ReadAll(t, response), response.Header.Get("ETag"),
		response.Header.Get("Content-Type")}
}

// knowsTheClient: the audit log has the address of the client, whatever the client says it is.
func (p proxied) knowsTheClient(t *testing.T) {
	t.Helper()
	p.send(t, p.public, apptest.PublicURL, "GET", p.ExportPath,
		[]string{"X-Request-Id", "behind-a-proxy", "X-Forwarded-For", "6.6.6.6"})
	require.Equal(t, "127.0.0.2", apptest.Read[string](t, p.Door, `select address from audit_entries
		where action = 'export.started' and request_id = 'behind-a-proxy'`))
}

func (p proxied) exportsWhole(t *testing.T) {
	t.Helper()
	for _, encoding := range []string{"identity", "gzip"} {
		accepting := []string{"Accept-Encoding", encoding}
		require.Equal(t, p.send(t, apptest.NewClient(), p.URL, "GET", p.ExportPath, accepting),
			p.send(t, p.public, apptest.PublicURL, "GET", p.ExportPath, accepting))
	}
}

// breaksVisibly: a failure after the first byte is one for the client behind the proxy too.
func (p proxied) breaksVisibly(t *testing.T) {
	t.Helper()
	response := apptest.Ask(t, p.slow, apptest.PublicURL+p.ExportPath, p.Token, "Accept-Encoding",
		"identity")
	_, err := io.ReadFull(response.Body, make([]byte, 1))
	require.NoError(t, err)
	apptest.Until(t, 5*time.Second, "no export runs", func() bool {
		return apptest.Read[int](t, p.Door,
			`select count(pg_terminate_backend(pid))`+apptest.ExportBackends) == 1
	})
	_, err = io.Copy(io.Discard, response.Body)
	require.Error(t, err, "a broken file looked whole")
}

// operations.md, Proxy: behind nginx with two instances a rolling restart loses no request.
func TestRollingRestartBehindNginxLosesNothing(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 9)
	db.Plays(fork, 50, fork.CreatedAt, time.Second)
	export := "/api/v1/forks/" + fork.ID + "/exports/csv?from=2026-01-01&to=2026-12-31"
	addresses := []string{apptest.FreeAddress(t), apptest.FreeAddress(t)}
	start := func(i int) *apptest.Child {
		return apptest.Launch(t, "serve", "--addr", addresses[i], "--ops-addr", "127.0.0.1:0",
			"--database-url", db.URL, "--migrate-database-url", db.OwnerURL, "--base-url",
			apptest.PublicURL, "--trusted-proxies", "127.0.0.1/32").UntilServing()
	}
	instances := []*apptest.Child{start(0), start(1)}
	one := "server 127.0.0.1:8080 max_fails=0;"
	two := strings.Replace(one, "127.0.0.1:8080", addresses[0], 1) + "\n" +
		strings.Replace(one, "127.0.0.1:8080", addresses[1], 1)
	address := apptest.StartProxy(t, "nginx", "", append(apptest.WithoutTLS(), one, two)...)
	if address == "" {
		t.Skip("SKIPPED, NOTHING WAS TESTED: there is no nginx")
	}
	var restarted atomic.Bool
	var asked, lost atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		path := "/openapi/v1.json"
		token := ""
		if i < 2 {
			path = export
			token = db.Key(fork.OrganisationID).Token()
		}
		all.Go(func() {
			for c := apptest.NewClient(); !restarted.Load() || asked.Load() < 2000; {
				status, body := apptest.FetchFrom(c, "http://"+address+path, token)
				if n := asked.Add(1); status != http.StatusOK {
					lost.Add(1)
					t.Logf("%s: %d %s", path, status, body)
				} else if token != "" { // a key's limit is 120 a minute
					apptest.Until(t, time.Minute, "the others ask nothing", func() bool {
						return asked.Load() > n+500 || restarted.Load() && asked.Load() >= 2000
					})
				}
			}
		})
	}
	for i := range instances {
		instances[i].Stop()
		instances[i] = start(i)
	}
	restarted.Store(true)
	all.Wait()
	require.Zero(t, lost.Load(), "of %d", asked.Load())
	t.Logf("%d requests", asked.Load())
}
