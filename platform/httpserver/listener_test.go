package httpserver

import (
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"

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
		for range maxPerClient {
			open[from] = append(open[from], b.dialFrom(t, from))
		}
	}
	eventually(t, "all to be accepted", func() bool {
		return b.listener.count() == 2*maxPerClient
	})
	require.True(t, b.refused(t, "127.0.0.2"))
	require.False(t, b.refused(t, "127.0.0.3"))
	require.False(t, b.refused(t, "127.0.0.9"))
	require.NoError(t, open["127.0.0.2"][0].Close())
	eventually(t, "the place to be given back", func() bool { return !b.refused(t, "127.0.0.2") })
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
