//go:build !linux

package httpserver

import "net"

// connectionProbe is for Linux only. Elsewhere the second write after a disconnect fails.
func connectionProbe(net.Conn) func() bool { return nil }

// undelivered is for Linux only. Elsewhere the reset of a broken transfer drops what the client has
// not acknowledged.
func undelivered(*net.TCPConn) bool { return false }
