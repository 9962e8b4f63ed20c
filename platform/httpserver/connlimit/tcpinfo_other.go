//go:build !linux

package connlimit

// Connected is known on Linux only.
func (c *Conn) Connected() bool { return true }

// undelivered is known on Linux only.
func (c *Conn) undelivered() bool { return false }
