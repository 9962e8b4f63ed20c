package httpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"

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

func TestConnectionsHaveABoundInAll(t *testing.T) {
	b := serve(t, Options{MaxConnections: 2}, plainRoutes)
	first := b.dial(t)
	b.dialFrom(t, "127.0.0.2")
	eventually(t, "both to be accepted", func() bool { return b.listener.count() == 2 })
	require.True(t, b.refused(t, "127.0.0.3"))
	require.NoError(t, first.Close())
	eventually(t, "the place to be given back", func() bool { return !b.refused(t, "127.0.0.3") })
}

// failing is a listener whose accepts fail.
type failing struct {
	net.Listener
	errs chan error
}

func (f failing) Accept() (net.Conn, error) { return nil, <-f.errs }

// fasthttp would stop serving at the first error.
func TestAcceptErrorsAreRetried(t *testing.T) {
	f := failing{errs: make(chan error, 3)}
	f.errs <- syscall.EMFILE
	f.errs <- syscall.ECONNABORTED
	f.errs <- net.ErrClosed
	bounded := New(Options{}).listener
	bounded.start(f)
	_, err := bounded.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.Empty(t, f.errs)
}
