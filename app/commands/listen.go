package commands

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
)

// maxSegment is the usual MSS of a network. Loopback segments have 64 KB, so the receive window of
// a local proxy opens in steps of 64 KB, and one step of a slow export would exceed the write
// deadline.
const maxSegment = 1448

func limitSegments(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// if it fails, only slow readers notice
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, maxSegment)
	})
}

// listen listens on the address of a setting.
func listen(ctx context.Context, setting, address string) (net.Listener, error) {
	config := net.ListenConfig{Control: limitSegments}
	ln, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("set %s to a free address: %w", setting, err)
	}
	return ln, nil
}

const (
	// threadsPerProcessor leaves a thread free to poll the network while requests compute. With one
	// thread per processor, Go then polls only every 10 ms.
	threadsPerProcessor = 2
	// gcPercent is GOGC. Large responses are garbage at once, and GC delays small requests.
	gcPercent = 200
	// memoryLimit is GOMEMLIMIT: beyond it garbage is collected sooner, so that a process with slow
	// readers of large responses stays below 256 MB.
	memoryLimit = 200 << 20
)

// tuneRuntime sets GOMAXPROCS, GOGC and GOMEMLIMIT for dg serve. It respects explicit values.
func tuneRuntime() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsPerProcessor * runtime.GOMAXPROCS(0))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
