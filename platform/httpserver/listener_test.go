package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// refused reports whether the server refuses a new connection from the address.
func (b *testServer) refused(t *testing.T, from string) bool {
	c := b.dialFrom(t, from)
	_, _ = io.WriteString(c, get+"Connection: close\r\n"+end)
	answer, _ := io.ReadAll(c)
	return !strings.HasPrefix(string(answer), "HTTP/1.1 200")
}

// rules.md, Bounds: one address has 500 connections, a trusted proxy as many as there are. A closed
// connection gives its place back.
func TestAddressHasABoundOfConnections(t *testing.T) {
	b := serve(t, Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")},
	}, plainRoutes)
	open := map[string][]net.Conn{}
	for _, from := range []string{"127.0.0.2", "127.0.0.9"} {
		for range maxPerNetwork[0] {
			open[from] = append(open[from], b.dialFrom(t, from))
		}
	}
	eventually(t, "all to be accepted", func() bool {
		return b.listener.count() == 2*maxPerNetwork[0]
	})
	require.True(t, b.refused(t, "127.0.0.2"))
	require.False(t, b.refused(t, "127.0.0.3"))
	require.False(t, b.refused(t, "127.0.0.9"))
	require.NoError(t, open["127.0.0.2"][0].Close())
	eventually(t, "the place to be given back", func() bool { return !b.refused(t, "127.0.0.2") })
}

// rules.md, Bounds: a customer's /48 has 2,000 connections, however many of its /64 it uses. A connection
// that is closed twice gives back one place.
func TestSiteHasABoundOfConnections(t *testing.T) {
	l := New(Options{MaxConnections: 10_000}).listener
	connect := func(address string) *conn {
		return l.admit(nil, netip.MustParseAddr(address))
	}
	var last *conn
	for i := range maxPerNetwork[1] {
		last = connect(fmt.Sprintf("2001:db8:1:%x::1", i))
		require.NotNil(t, last)
	}
	require.Nil(t, connect("2001:db8:1:ffff::1"))
	require.NotNil(t, connect("2001:db8:2::1"))
	last.forget()
	last.forget()
	require.NotNil(t, connect("2001:db8:1:ffff::1"))
	require.Nil(t, connect("2001:db8:1:ffff::1"))
}

// A refused connection is told so in the body of the document's errors.
func TestRefusedConnectionGetsTheErrorBody(t *testing.T) {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(refusedConnection)), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	var body struct{ Details struct{ Code string } }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&body))
	require.Equal(t, "ERR_UNAVAILABLE", body.Details.Code)
}

// A connection that its client ends within a request is counted, logged once a second, and is no error.
func TestClientsAbortIsNoError(t *testing.T) {
	metrics := prometheus.NewRegistry()
	b := serve(t, Options{Metrics: metrics}, plainRoutes)
	for _, sent := range []string{
		"GET / HT", get, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
	} {
		c := b.dial(t)
		_, err := io.WriteString(c, sent)
		require.NoError(t, err)
		require.NoError(t, c.(*net.TCPConn).SetLinger(0))
		require.NoError(t, c.Close())
	}
	eventually(t, "all to be counted", func() bool {
		return testutil.ToFloat64(b.metrics.aborts) == 3
	})
	require.Equal(t, 1, strings.Count(b.logs.String(), "ended its connection"))
	require.NotContains(t, b.logs.String(), "ERROR")
	require.Zero(t, testutil.CollectAndCount(b.metrics.duration))
}

// rules.md, Bounds: connections of all addresses have a bound together.
func TestConnectionsHaveABoundInAll(t *testing.T) {
	b := serve(t, Options{MaxConnections: 2}, plainRoutes)
	first := b.dial(t)
	b.dialFrom(t, "127.0.0.2")
	eventually(t, "both to be accepted", func() bool { return b.listener.count() == 2 })
	require.True(t, b.refused(t, "127.0.0.3"))
	require.NoError(t, first.Close())
	eventually(t, "the place to be given back", func() bool { return !b.refused(t, "127.0.0.3") })
}

// failingListener returns errs from Accept, one a call.
type failingListener struct {
	net.Listener
	errs chan error
}

func (f failingListener) Accept() (net.Conn, error) { return nil, <-f.errs }

// fasthttp would stop serving at the first error.
func TestAcceptErrorsAreRetried(t *testing.T) {
	f := failingListener{errs: make(chan error, 3)}
	f.errs <- syscall.EMFILE
	f.errs <- syscall.ECONNABORTED
	f.errs <- net.ErrClosed
	bounded := New(Options{}).listener
	bounded.start(f)
	_, err := bounded.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.Empty(t, f.errs)
}

// stop begins the shutdown and returns what it will return.
func (b *testServer) stop(t *testing.T) <-chan error {
	stopped := make(chan error, 1)
	go func() { stopped <- b.Shutdown(context.Background()) }()
	eventually(t, "the shutdown to begin", b.Stopping)
	return stopped
}

// A shutdown without connections does not wait.
func TestShutdownWithoutConnectionsSkipsTheDelay(t *testing.T) {
	b := serve(t, Options{ShutdownDelay: time.Minute}, plainRoutes)
	require.NoError(t, within10s(t, b.stop(t), "the shutdown"))
}

// waitingServer has /wait, which answers when release is closed, and /query, which waits for its
// context.
func waitingServer(t *testing.T, grace time.Duration) (b *testServer, begun, release chan struct{}) {
	begun = make(chan struct{}, 1)
	release = make(chan struct{})
	b = serve(t, Options{Grace: grace}, func(app *fiber.App) {
		app.Get("/wait", func(c *fiber.Ctx) error {
			begun <- struct{}{}
			<-release
			return c.SendString("ok")
		})
		app.Get("/query", func(c *fiber.Ctx) error {
			begun <- struct{}{}
			<-c.UserContext().Done()
			return c.UserContext().Err()
		})
	})
	return b, begun, release
}

// asks sends a request in the background.
func (b *testServer) asks(t *testing.T, path string) <-chan answer {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
	require.NoError(t, err)
	answers := make(chan answer, 1)
	go func() {
		if response, err := plainClient.Do(request); err == nil {
			answers <- readAnswer(response)
		}
	}()
	return answers
}

// A request that runs when the shutdown begins is answered.
func TestShutdownLetsARequestFinish(t *testing.T) {
	b, begun, release := waitingServer(t, testTimeout)
	answers := b.asks(t, "/wait")
	<-begun
	stopped := b.stop(t)
	close(release)
	require.Equal(t, "ok", within10s(t, answers, "the answer").body)
	require.NoError(t, within10s(t, stopped, "the shutdown"))
}

// After the grace a shutdown ends queries, with 503.
func TestShutdownBreaksAQueryAfterTheGrace(t *testing.T) {
	b, begun, _ := waitingServer(t, 100*time.Millisecond)
	answers := b.asks(t, "/query")
	<-begun
	require.NoError(t, within10s(t, b.stop(t), "the shutdown"))
	within10s(t, answers, "the answer").wantError(t, 503)
}

// A server that was stopped before it served closes its listener.
func TestStoppedServerDoesNotStart(t *testing.T) {
	s := New(Options{})
	require.NoError(t, s.Shutdown(context.Background()))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, s.Serve(ln))
	_, err = ln.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}
