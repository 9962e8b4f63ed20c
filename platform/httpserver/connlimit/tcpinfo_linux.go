package connlimit

import (
	"net"

	"golang.org/x/sys/unix"
)

// tcpEstablished is TCP_ESTABLISHED of the kernel's tcp_states.h.
const tcpEstablished = 1

// Connected reports whether both ends of the connection are open. A client that closed only its
// sending side counts as gone: the two cannot be told apart, and HTTP clients do not do that.
func (c *Conn) Connected() bool { return tcpInfo(c.TCPConn).State == tcpEstablished }

// undelivered reports whether the kernel of a connected client has not acknowledged all that was
// sent.
func (c *Conn) undelivered() bool {
	info := tcpInfo(c.TCPConn)
	return info.State == tcpEstablished && (info.Unacked > 0 || info.Notsent_bytes > 0)
}

// tcpInfo returns what the kernel knows of the connection: nothing once it is closed.
func tcpInfo(conn *net.TCPConn) (info unix.TCPInfo) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return info
	}
	_ = raw.Control(func(fd uintptr) {
		if got, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP,
			unix.TCP_INFO); err == nil {
			info = *got
		}
	})
	return info
}
