package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// operations.md, Monitoring: every duration in the log is in milliseconds.
func TestLoggerWritesJSONOrText(t *testing.T) {
	var b bytes.Buffer
	log, err := NewLogger(&b, "warn", "json")
	require.NoError(t, err)
	log.Info("quiet")
	log.Warn("loud", "waited", 1500*time.Microsecond)
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line["msg"] != "loud" ||
		line["waited_ms"] != 1.5 {
		t.Fatalf("want one JSON line saying loud, got %q (%v)", b.String(), err)
	}
	b.Reset()
	log, err = NewLogger(&b, "DEBUG", "text")
	require.NoError(t, err)
	log.Debug("detail", "waited", time.Minute)
	if !strings.Contains(b.String(), "msg=detail waited_ms=60000") {
		t.Fatalf("want a text line, got %q", b.String())
	}
}

func TestUnknownLogSettingsAreRefused(t *testing.T) {
	for _, c := range [][2]string{{"loud", "json"}, {"info", "xml"}, {"", "json"}, {"info", ""}} {
		if _, err := NewLogger(io.Discard, c[0], c[1]); err == nil {
			t.Errorf("level %q and format %q were accepted", c[0], c[1])
		}
	}
}

func TestOpsServerServesMetricsAndProfiles(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ServeOps(ctx, ln, OpsHandler(NewRegistry(), ln.Addr().String())) }()
	for path, want := range map[string]string{
		"/metrics":                       "go_goroutines",
		"/debug/pprof/":                  "heap",
		"/debug/pprof/goroutine?debug=1": "goroutine profile",
	} {
		resp, err := http.Get("http://" + ln.Addr().String() + path)
		require.NoError(t, err)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d without %q", path, resp.StatusCode, want)
		}
	}
	cancel()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(5 * time.Second):
		t.Fatal("the ops server did not stop")
	}
}

// A page that rebinds its own name to the port reads nothing.
func TestOpsServerAnswersOnlyForItsOwnHost(t *testing.T) {
	for _, c := range []struct {
		addr, host string
		status     int
	}{
		{"127.0.0.1:0", "", 200}, {"127.0.0.1:0", "localhost:8081", 200},
		{"127.0.0.1:0", "LOCALHOST", 200}, {"127.0.0.1:0", "[::1]:8081", 200},
		{"127.0.0.1:0", "127.0.0.9", 200}, {"127.0.0.1:0", "dg.localhost", 200},
		{"127.0.0.1:0", "evil.example:8081", 421}, {"127.0.0.1:0", "evil.example", 421},
		{"127.0.0.1:0", "localhost.evil.example", 421},
		{"127.0.0.1:0", "127.0.0.1.evil.example", 421}, {"127.0.0.1:0", "10.0.0.1", 421},
		{"127.0.0.1:0", "evillocalhost", 421},
		{"localhost:0", "localhost:1", 200}, {"localhost:0", "metrics.internal", 421},
		{":0", "evil.example", 421}, {":0", "127.0.0.1:9", 200},
		{":0", "10.0.0.1:9", 200}, {"0.0.0.0:0", "10.0.0.1", 200}, {"[::]:0", "[fd00::1]:9", 200},
		{"[::]:0", "evil.example", 421},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet,
			"/debug/pprof/goroutine?debug=1", nil)
		if request.Host = c.host; c.host == "" {
			request.Host = c.addr
		}
		answer := httptest.NewRecorder()
		OpsHandler(NewRegistry(), c.addr).ServeHTTP(answer, request)
		if answer.Code != c.status ||
			strings.Contains(answer.Body.String(), "goroutine profile") != (c.status == 200) {
			t.Errorf("listening on %s, asked for %s: %d", c.addr, c.host, answer.Code)
		}
	}
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	request.Host = "metrics.internal:8081"
	if OpsHandler(NewRegistry(), "metrics.internal:8081").
		ServeHTTP(answer, request); answer.Code != 200 {
		t.Errorf("asked for the host of the address: %d", answer.Code)
	}
}
