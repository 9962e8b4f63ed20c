package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setUserTimeout bounds the time that sent data stays unacknowledged. Keep-alives do not cover it.
func setUserTimeout(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	return conn.Control(func(fd uintptr) {
		// Best effort.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT,
			int(userTimeout.Milliseconds()))
	})
}
