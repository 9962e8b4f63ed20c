package system

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// Through the proxies of configs/deploy, clients get the same responses as from dg, and a 503 while it is stopped.
func TestProxyExamplesForwardResponses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nginx", "haproxy"} {
		t.Run(name, func(t *testing.T) {
			e := apptest.ServeBehindProxy(t)
			upstream := strings.TrimPrefix(e.ListenURL, "http://")
			requireSameResponses(t, e, apptest.NewProxyClient(apptest.StartProxy(t, name, upstream)))
			// The proxies speak plain HTTP, because TLS itself would report a broken connection.
			address := apptest.StartProxy(t, name, upstream, apptest.WithoutTLS...)
			requireVisibleBreak(t, e, "http://"+address)
			// Over HTTP/1.0 a truncated file would look complete.
			conn := tb.Must(net.Dial("tcp", address))(t)
			defer conn.Close()
			fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", e.ExportPath, e.Token)
			response := tb.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
			require.Equal(t, http.StatusHTTPVersionNotSupported, response.StatusCode)
			e.Stop()
			response = tb.Must(apptest.NewClient().Get("http://" + address + e.ExportPath))(t)
			require.Contains(t, apptest.ReadAll(t, response)+response.Header.Get("Retry-After"), `"ERR_UNAVAILABLE"}}5`)
		})
	}
}

// requireSameResponses compares responses to requests that a proxy might rewrite or answer, such as HEAD.
func requireSameResponses(t *testing.T, dg *apptest.ExportServer, proxiedClient *http.Client) {
	tag := dg.Get("/api/v1/forks", dg.Token).Header.Get("ETag")
	large := strings.Repeat("x", 20<<10)
	for _, q := range []struct{ method, path, header, value string }{
		{"GET", "/api/v1/forks", "", ""}, {"HEAD", "/api/v1/forks", "", ""}, {"DELETE", "/api/v1/forks", "", ""},
		{"GET", "/api/v1/forks", "If-None-Match", tag}, {"GET", "/api/v1/forks", "X-Long", large},
		{"GET", "/api/v1//forks", "", ""}, {"GET", "/api/v1/%2e%2e/forks", "", ""},
		{"GET", "/api/v1/forks%2Fx", "", ""}, {"GET", "/API/v1/forks", "", ""},
		{"GET", "/api/v1/forks?" + large, "", ""}, {"GET", "/sign-in", "", ""},
		{"GET", "/account/reset?token=x", "", ""}, {"GET", "/openapi/v1.json", "", ""},
	} {
		send := func(c *http.Client, base string) []any {
			request := tb.Must(http.NewRequestWithContext(t.Context(), q.method, base+q.path, http.NoBody))(t)
			request.Host = "dg.example.org"
			request.Header = http.Header{"Authorization": {"Bearer " + dg.Token}, cmp.Or(q.header, "X"): {q.value}}
			response := tb.Must(c.Do(request))(t)
			defer response.Body.Close()
			return []any{response.StatusCode, response.Header["Etag"], response.Header["Content-Type"],
				apptest.ReadAll(t, response)}
		}
		require.Equal(t, send(apptest.NewClient(), dg.ListenURL), send(proxiedClient, apptest.PublicURL), "%.60v", q)
	}
}

// operations.md, Proxy: behind a proxy with two instances, a rolling restart loses no request.
func TestRollingRestartBehindProxiesLosesNothing(t *testing.T) {
	t.Parallel()
	for _, proxy := range []struct{ name, line, delay string }{
		{"nginx", "server 127.0.0.1:8080 max_fails=0;\n", "0s"}, {"haproxy", "server dg 127.0.0.1:8080 check\n", "2s"},
	} {
		t.Run(proxy.name, func(t *testing.T) { requireLosslessRestart(t, proxy.name, proxy.line, proxy.delay) })
	}
}

// requireLosslessRestart restarts two instances in turn. No request fails. line is the proxy's line for an instance.
func requireLosslessRestart(t *testing.T, proxy, line, delay string) {
	db := testkit.New(t)
	addresses := []string{apptest.FreeAddress(t), apptest.FreeAddress(t)}
	start := func(i int) *apptest.Child {
		return apptest.ServeWith(t, append(db.Flags(), "--addr", addresses[i], "--base-url", apptest.PublicURL,
			"--trusted-proxies", "127.0.0.1/32", "--shutdown-delay", delay)...)
	}
	instances := []*apptest.Child{start(0), start(1)}
	lines := ""
	for i, address := range addresses {
		lines += strings.NewReplacer("127.0.0.1:8080", address, "server dg", fmt.Sprint("server dg", i)).Replace(line)
	}
	address := apptest.StartProxy(t, proxy, "", append(apptest.WithoutTLS, line, lines)...)
	var restarted atomic.Bool
	var requests, failures atomic.Int64
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for c := apptest.NewClient(); !restarted.Load() || requests.Load() < 2000; requests.Add(1) {
				response, err := c.Get("http://" + address + "/openapi/v1.json")
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				if err != nil || response.StatusCode != http.StatusOK {
					failures.Add(1)
					t.Log(response, err)
				}
			}
		})
	}
	for i := range instances {
		instances[i].Stop()
		instances[i] = start(i)
		apptest.WaitUntil(t, time.Minute, "the proxy does not use the new instance", func() bool {
			return instances[i].MetricValue(
				`dg_http_request_duration_seconds_count{method="GET",route="/openapi/v1.json",status="200"}`) > 0
		})
	}
	restarted.Store(true)
	readers.Wait()
	require.Zero(t, failures.Load(), "of %d", requests.Load())
}

// rules.md, CSV: a failing export resets the connection. Exports use little memory; make bench measures their speed.
func TestExportsAreStreamedAndBreakVisibly(t *testing.T) {
	t.Parallel()
	db := testkit.New(t)
	plays := apptest.PickSize(100_000, 100_000, 1_000_000)
	dg := apptest.StartExportServer(t, db, plays, db.Flags()...)
	// The subtests run in sequence, because each looks at PostgreSQL's activity. The last one kills dg.
	t.Run("is streamed whole in little memory", func(t *testing.T) {
		if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
			t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
		}
		for _, encoding := range []string{"identity", "gzip"} {
			dg.GetBody("/api/v1/forks", dg.Token)
			idle := dg.Memory("VmRSS")
			// resets VmHWM, the peak of the resident memory
			require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", dg.Process.Pid), []byte("5"), 0))
			id := "streamed-" + encoding
			response, body := dg.BeginExport(t, id, "Accept-Encoding", encoding)
			rows := countRows(t, response, body)
			growth := dg.Memory("VmHWM") - idle
			require.Equal(t, dg.Plays, rows)
			outcome, counted := dg.AwaitExport(t, id)
			require.Equal(t, "completed", outcome)
			require.Equal(t, dg.Plays, counted)
			require.Less(t, growth, 32<<20, encoding)
		}
	})
	t.Run("breaks visibly", func(t *testing.T) { requireVisibleBreak(t, dg, dg.ListenURL) })
	t.Run("breaks visibly if dg is killed", func(t *testing.T) {
		breakDuringQuery(t, dg, dg.ListenURL, "wget", dg.Kill)
	})
}

func countRows(t *testing.T, response *http.Response, body io.Reader) int {
	if response.Header.Get("Content-Encoding") == "gzip" {
		body = tb.Must(gzip.NewReader(body))(t)
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

// exportClients are programs that download an export, with their exit status after a reset.
var exportClients = map[string]struct {
	command string
	exit    int
}{
	"curl": {`exec curl -sS -f -o /dev/null -H "Authorization: Bearer $KEY" "$URL"`, 56},
	"wget": {`exec wget -nv -t 1 -O /dev/null --header "Authorization: Bearer $KEY" "$URL"`, 4},
	// By default wget retries with a Range header. dg must refuse it, because wget would append a whole file.
	"wget by default": {`cd "$(mktemp -d)" && wget -nv -O plays.csv --header "Authorization: Bearer $KEY" "$URL"; ` +
		`exit=$?; [ "$(grep -c ^playId plays.csv)" = 1 ] && exit $exit`, 8},
}

func startClient(t *testing.T, name, url, key string) (exitStatus func() int) {
	if _, err := exec.LookPath(strings.Fields(name)[0]); err != nil {
		tb.SkipOrFail(t, err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", exportClients[name].command)
	cmd.Env = append(os.Environ(), "URL="+url, "KEY="+key)
	require.NoError(t, cmd.Start())
	return func() int {
		_ = cmd.Wait() // ProcessState has the exit status
		return cmd.ProcessState.ExitCode()
	}
}

// requireVisibleBreak requires that clients fail on a broken transfer, but not on a complete one (/docs/csv).
func requireVisibleBreak(t *testing.T, e *apptest.ExportServer, url string) {
	for name := range exportClients {
		breakDuringQuery(t, e, url, name, func() {
			require.Equal(t, 1, testkit.Query[int](e.World, `select count(pg_terminate_backend(pid))`+stalledExports))
		})
		require.Zero(t, startClient(t, name, url+e.ExportPath, e.Token)(), name)
	}
}

const stalledExports = ` from pg_stat_activity where datname = current_database()
	and application_name = 'dg snapshots' and wait_event = 'PgSleep'`

func breakDuringQuery(t *testing.T, e *apptest.ExportServer, url, client string, breakOff func()) {
	middle := testkit.Query[string](e.World,
		`select id::text from plays order by started_at, id offset $1 limit 1`, e.Plays/2)
	e.Exec(`create function reached(play uuid) returns boolean language plpgsql as
		$$ begin if play = '` + middle + `' then perform pg_sleep(60); end if; return true; end $$`)
	e.Exec(`create policy stalled on plays using (reached(id)); alter table plays enable row level security`)
	defer e.Exec(`alter table plays disable row level security; drop policy stalled on plays; drop function reached`)
	exitStatus := startClient(t, client, url+e.ExportPath, e.Token)
	apptest.WaitUntil(t, 20*time.Second, "no export waits", func() bool {
		return testkit.Query[int](e.World, `select count(*)`+stalledExports) == 1
	})
	breakOff()
	exit := exitStatus()
	if url == e.ListenURL { // the exit status differs behind a proxy
		require.Equal(t, exportClients[client].exit, exit, client)
	}
	require.NotZero(t, exit, client)
}
