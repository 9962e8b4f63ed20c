package chaos

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// toxic is how toxiproxy makes a link bad.
type toxic struct {
	name, kind, stream string
	attributes         map[string]int
	good               bool // right answers come on such a link, only later
}

var toxics = []toxic{
	{
		"100 ms more each way", "latency", "downstream", map[string]int{
			"latency": 100,
			"jitter":  50,
		}, true,
	},
	{
		"1 s more each way", "latency", "downstream", map[string]int{
			"latency": 1000,
			"jitter":  200,
		}, false,
	},
	{
		"reset 300 ms after its beginning", "reset_peer", "downstream", map[string]int{
			"timeout": 300,
		}, false,
	},
	{"cut after 5,000 bytes", "limit_data", "downstream", map[string]int{"bytes": 5000}, false},
	{"1 KB/s", "bandwidth", "downstream", map[string]int{"rate": 1}, false},
	{
		"100 bytes/s", "slicer", "downstream", map[string]int{
			"average_size":   10,
			"size_variation": 5,
			"delay":          100_000,
		}, false,
	},
	{
		"in slices of 20 bytes", "slicer", "downstream", map[string]int{
			"average_size":   20,
			"size_variation": 10,
			"delay":          50,
		}, true,
	},
	{"a black hole for answers", "timeout", "downstream", map[string]int{"timeout": 0}, false},
	{"a black hole for statements", "timeout", "upstream", map[string]int{"timeout": 0}, false},
}

// toxiproxy is a proxy before the relay of a database, which makes the link bad.
type toxiproxy struct{ api, address string }

func startToxiproxy(t *testing.T, upstream string) *toxiproxy {
	t.Helper()
	modules := apptest.InTree("scripts", "tools", "go.mod")
	const tool = "github.com/Shopify/toxiproxy/v2/cmd/server"
	program, err := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+modules, "-n", tool).
		Output()
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: toxiproxy cannot be built: %v", err)
	}
	p := &toxiproxy{address: apptest.FreeAddress(t)}
	host, port, _ := strings.Cut(apptest.FreeAddress(t), ":")
	p.api = "http://" + host + ":" + port
	server := exec.CommandContext(t.Context(), strings.TrimSpace(string(program)), "-host", host,
		"-port", port)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	apptest.Until(t, 10*time.Second, "toxiproxy does not answer", func() bool {
		response, err := http.Get(p.api + "/version")
		return err == nil && response.Body.Close() == nil
	})
	p.send(t, http.MethodPost, "/proxies", map[string]any{
		"name":     "database",
		"listen":   p.address,
		"upstream": upstream,
		"enabled":  true,
	})
	return p
}

func (p *toxiproxy) send(t *testing.T, method, path string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), method, p.api+path,
		bytes.NewReader(text))
	require.NoError(t, err)
	response, err := apptest.NewClient().Do(request)
	require.NoError(t, err)
	answer := apptest.ReadAll(t, response)
	require.Less(t, response.StatusCode, 300, answer)
}

// poison makes the link bad until the returned function is called.
func (p *toxiproxy) poison(t *testing.T, x toxic) (cure func()) {
	p.send(t, http.MethodPost, "/proxies/database/toxics", map[string]any{
		"name":       "bad",
		"type":       x.kind,
		"stream":     x.stream,
		"toxicity":   1,
		"attributes": x.attributes,
	})
	return func() { p.send(t, http.MethodDelete, "/proxies/database/toxics/bad", nil) }
}

// The link to PostgreSQL is bad in every way of toxiproxy, under clients that call everything. No
// answer is wrong, and no file that is too short looks whole. In every run silence_test.go has
// links that fall silent.
func TestChaosDatabaseLinkIsBad(t *testing.T) {
	if !apptest.Chaos {
		t.Skip("takes minutes and toxiproxy: make chaos runs it")
	}
	t.Parallel()
	x := apptest.NewExternal(t)
	p := startToxiproxy(t, apptest.NewRelay(t, x).Addr().String())
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User("dg_app"),
		Host:     p.address,
		Path:     "/dg",
		RawQuery: "sslmode=disable",
	}
	c := apptest.Launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", u.String(),
		"--migrate-database-url", x.URL(url.User("dg_owner"))).UntilServing()
	a := callersOf(t, x, c)
	a.untilGood(t)
	for _, bad := range toxics {
		cure := p.poison(t, bad)
		if bad.good {
			a.untilGood(t)
		}
		<-time.After(time.Duration(apptest.ChaosSize(0, 3, 30)) * time.Second) // while it is bad
		cure()
		t.Logf("%s: everything is answered %s after it was good", bad.name, a.untilGood(t))
	}
	a.verdict(t)
	a.o.ends(t)
}
