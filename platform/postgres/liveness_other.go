//go:build !linux

package postgres

import "syscall"

// setUserTimeout is for Linux: elsewhere there is no such option, and keep-alives have to do.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }
