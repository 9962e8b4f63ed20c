package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestLoggerWritesTheFormAskedFor(t *testing.T) {
	var b bytes.Buffer
	log, err := NewLogger(&b, "warn", "json")
	if err != nil {
		t.Fatal(err)
	}
	log.Info("quiet")
	log.Warn("loud", "n", 1)
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line["msg"] != "loud" {
		t.Fatalf("want one JSON line saying loud, got %q (%v)", b.String(), err)
	}
	b.Reset()
	log, err = NewLogger(&b, "DEBUG", "text")
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("detail")
	if !strings.Contains(b.String(), "msg=detail") {
		t.Fatalf("want a text line, got %q", b.String())
	}
}

func TestLoggerRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, c := range [][2]string{{"loud", "json"}, {"info", "xml"}, {"", "json"}, {"info", ""}} {
		if _, err := NewLogger(io.Discard, c[0], c[1]); err == nil {
			t.Errorf("level %q and format %q were taken", c[0], c[1])
		}
	}
}

func TestOpsServerShowsMetricsAndProfilesUntilItsContextEnds(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ServeOps(ctx, ln, OpsHandler(NewRegistry())) }()
	for path, want := range map[string]string{
		"/metrics":                       "go_goroutines",
		"/debug/pprof/":                  "heap",
		"/debug/pprof/goroutine?debug=1": "goroutine profile",
	} {
		resp, err := http.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d without %q", path, resp.StatusCode, want)
		}
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the ops server did not stop")
	}
}
