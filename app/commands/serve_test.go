package commands

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// configs/deploy/nginx.conf: a proxy on the same machine gets the segments of a network.
func TestSegmentsAreThoseOfANetwork(t *testing.T) {
	ln, err := listen(t.Context(), "DG_ADDR", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	var segment int
	require.NoError(t, raw.Control(func(fd uintptr) {
		segment, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG)
	}))
	require.NoError(t, err)
	require.LessOrEqual(t, segment, maxSegment)
}
