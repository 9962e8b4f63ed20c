package httpserver

import (
	"bufio"
	"bytes"
	"context"
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

	"dg/platform/testkit/tb"
)

func (b *testServer) isRefused(t *testing.T, address string) bool {
	c := b.dialFrom(t, address)
	_, _ = io.WriteString(c, getLines+"Connection: close\r\n"+emptyLine)
	answer, _ := io.ReadAll(c)
	return !strings.HasPrefix(string(answer), "HTTP/1.1 200")
}

// rules.md, Bounds: an address has at most 500 open connections. A trusted proxy has no such limit.
func TestConnectionsPerAddressAreBounded(t *testing.T) {
	b := startServer(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}, plainRoutes)
	open := map[string][]net.Conn{}
	for _, address := range []string{"127.0.0.2", "127.0.0.9"} {
		for range maxPerNetwork[0] {
			open[address] = append(open[address], b.dialFrom(t, address))
		}
	}
	eventually(t, "all to be accepted", func() bool { return b.listener.count() == 2*maxPerNetwork[0] })
	require.True(t, b.isRefused(t, "127.0.0.2"))
	require.False(t, b.isRefused(t, "127.0.0.3"))
	require.False(t, b.isRefused(t, "127.0.0.9"))
	require.NoError(t, open["127.0.0.2"][0].Close())
	eventually(t, "the slot to be freed", func() bool { return !b.isRefused(t, "127.0.0.2") })
}

// rules.md, Bounds: a /48 has at most 2,000 connections in total. A second close of a connection frees no second slot.
func TestConnectionsPerSiteAreBounded(t *testing.T) {
	l := New(Options{MaxConnections: 10_000}).listener
	connect := func(address string) *conn { return l.admit(nil, netip.MustParseAddr(address)) }
	var last *conn
	for i := range maxPerNetwork[1] {
		last = connect(fmt.Sprintf("2001:db8:1:%x::1", i))
		require.NotNil(t, last)
	}
	require.Nil(t, connect("2001:db8:1:ffff::1"))
	other := connect("2001:db8:2::1")
	require.NotNil(t, other)
	other.forget()
	require.Len(t, l.connsByNetwork, maxPerNetwork[1]+1, "a network without connections is forgotten")
	last.forget()
	last.forget()
	require.NotNil(t, connect("2001:db8:1:ffff::1"))
	require.Nil(t, connect("2001:db8:1:ffff::1"))
}

// A connection over the limit gets fixed bytes, which are a 503 with the code of errors.yaml.
func TestRefusedConnectionGetsTheErrorBody(t *testing.T) {
	a := readAnswer(tb.Must(http.ReadResponse(bufio.NewReader(bytes.NewReader(refusedConnection)), nil))(t))
	require.NoError(t, a.err, "the length is right")
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode)
	require.Contains(t, a.body, `"details":{"code":"ERR_UNAVAILABLE"}`)
}

// A connection that the client aborts within a request is counted. The log has one line a second and no error.
func TestClientAbortIsNotLoggedAsAnError(t *testing.T) {
	metrics := prometheus.NewRegistry()
	b := startServer(t, Options{Metrics: metrics}, plainRoutes)
	for _, sent := range []string{"GET / HT", getLines, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"} {
		c := b.dial(t)
		tb.Must(io.WriteString(c, sent))(t)
		require.NoError(t, c.(*net.TCPConn).SetLinger(0))
		require.NoError(t, c.Close())
	}
	eventually(t, "all to be counted", func() bool { return testutil.ToFloat64(b.metrics.aborts) == 3 })
	require.Equal(t, 1, strings.Count(b.logs.String(), "ended its connection"))
	require.NotContains(t, b.logs.String(), "ERROR")
	require.Zero(t, testutil.CollectAndCount(b.metrics.duration))
}

// rules.md, Bounds: the total number of connections is limited.
func TestTotalConnectionsAreBounded(t *testing.T) {
	b := startServer(t, Options{MaxConnections: 4}, plainRoutes)
	first := b.dial(t)
	b.dial(t)
	b.dialFrom(t, "127.0.0.2")
	eventually(t, "all to be accepted", func() bool { return b.listener.count() == 3 })
	require.True(t, b.isRefused(t, "127.0.0.1"), "an address has at most half")
	require.False(t, b.isRefused(t, "127.0.0.3"))
	b.dialFrom(t, "127.0.0.2")
	eventually(t, "all to be accepted", func() bool { return b.listener.count() == 4 })
	require.True(t, b.isRefused(t, "127.0.0.3"))
	require.NoError(t, first.Close())
	eventually(t, "the slot to be freed", func() bool { return !b.isRefused(t, "127.0.0.3") })
}

type failingListener struct {
	net.Listener
	errs chan error
}

func (f failingListener) Accept() (net.Conn, error) { return nil, <-f.errs }

// The listener retries Accept after an error, at which fasthttp would stop serving.
func TestAcceptErrorsAreRetried(t *testing.T) {
	f := failingListener{errs: make(chan error, 3)}
	for _, err := range []error{syscall.EMFILE, syscall.ECONNABORTED, net.ErrClosed} {
		f.errs <- err
	}
	bounded := New(Options{}).listener
	bounded.start(f)
	require.ErrorIs(t, tb.ErrorOf(bounded.Accept()), net.ErrClosed)
	require.Empty(t, f.errs)
}

func (b *testServer) beginShutdown(t *testing.T) <-chan error {
	stopped := make(chan error, 1)
	go func() { stopped <- b.Shutdown(context.Background()) }()
	eventually(t, "the shutdown to begin", b.Stopping)
	return stopped
}

// Without connections a shutdown skips its delay, which is for proxies that still open some.
func TestShutdownWithoutConnectionsSkipsTheDelay(t *testing.T) {
	b := startServer(t, Options{ShutdownDelay: time.Minute}, plainRoutes)
	require.NoError(t, receive(t, b.beginShutdown(t), "the shutdown"))
}

func (b *testServer) getAsync(t *testing.T, path string) <-chan answer {
	request := tb.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody))(t)
	answers := make(chan answer, 1)
	go func() {
		if response, err := plainClient.Do(request); err == nil {
			answers <- readAnswer(response)
		}
	}()
	return answers
}

// Shutdown lets a running request finish. After the grace it cancels a query, whose request gets 503.
func TestShutdownLetsARequestFinishAndCancelsQueries(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	b := startServer(t, Options{Grace: time.Second}, func(app *fiber.App) {
		app.Get("/wait", func(c *fiber.Ctx) error {
			started <- struct{}{}
			<-release
			return c.SendString("ok")
		})
		app.Get("/query", func(c *fiber.Ctx) error {
			started <- struct{}{}
			<-c.UserContext().Done()
			return c.UserContext().Err()
		})
	})
	finishes := b.getAsync(t, "/wait")
	<-started
	query := b.getAsync(t, "/query")
	<-started
	stopped := b.beginShutdown(t)
	close(release)
	require.Equal(t, "ok", receive(t, finishes, "the answer").body)
	receive(t, query, "the refusal").requireError(t, 503)
	require.NoError(t, receive(t, stopped, "the shutdown"))
}

// A signal may stop the server before Serve. Serve then returns nil.
func TestServeAfterShutdownClosesTheListener(t *testing.T) {
	s := New(Options{})
	require.NoError(t, s.Shutdown(context.Background()))
	ln := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	require.NoError(t, s.Serve(ln))
	require.ErrorIs(t, tb.ErrorOf(ln.Accept()), net.ErrClosed)
}
