package main

import "syscall"

// remoteSegment lets a connection have segments as between two hosts. Loopback's are 64 KB, and the window of a slow reader
// opens only when one of them fits.
func remoteSegment(_, _ string, c syscall.RawConn) (err error) {
	control := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1460) })
	if control != nil {
		return control
	}
	return err
}
