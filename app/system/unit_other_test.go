//go:build !linux

package system

// execFilteredIfChild does nothing: seccomp exists only on Linux.
func execFilteredIfChild() {}
