package httpserver

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// tcpEstablished is TCP_ESTABLISHED of the kernel's tcp_states.h.
const tcpEstablished = 1

// prober returns a function that says whether the connection still stands at both ends. A client that only closed
// its sending side counts as gone: HTTP clients do not do that, and the two cannot be told apart.
func prober(conn net.Conn) func() bool {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return func() bool {
		alive := false
		err := raw.Control(func(fd uintptr) {
			info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
			alive = err != nil || info.State == tcpEstablished // not TCP: nothing to see
		})
		return err == nil && alive
	}
}
