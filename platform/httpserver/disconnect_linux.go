package httpserver

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// tcpEstablished is TCP_ESTABLISHED of the kernel's tcp_states.h.
const tcpEstablished = 1

// connectionProbe returns a function that reports whether both ends of the connection are open. A client that closed only
// its sending side counts as gone: the two cannot be told apart, and HTTP clients do not do that.
func connectionProbe(conn net.Conn) func() bool {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return func() bool {
		connected := false
		err := raw.Control(func(fd uintptr) {
			info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
			connected = err != nil || info.State == tcpEstablished // an error: not TCP
		})
		return err == nil && connected
	}
}
