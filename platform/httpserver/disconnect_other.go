//go:build !linux

package httpserver

import "net"

// connectionProbe is for Linux only. Elsewhere the second write after a disconnect fails.
func connectionProbe(net.Conn) func() bool { return nil }
