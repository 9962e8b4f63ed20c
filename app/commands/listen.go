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

// listeners are the addresses that dg serves on.
type listeners struct{ main, ops net.Listener }

func (c serveCmd) listen(ctx context.Context) (on listeners, err error) {
	if on.main, err = listen(ctx, "", c.Addr, "DG_ADDR"); err != nil {
		return on, err
	}
	if on.ops, err = listen(ctx, "metrics ", c.OpsAddr, "DG_OPS_ADDR"); err != nil {
		on.main.Close()
	}
	return on, err
}

// Close closes both.
func (l listeners) Close() {
	l.main.Close()
	l.ops.Close()
}

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

// listen listens on the address. The error of a taken address names the setting.
func listen(ctx context.Context, what, addr, setting string) (net.Listener, error) {
	config := net.ListenConfig{Control: limitSegments}
	ln, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve %son %s (set %s to a free address): %w", what, addr,
			setting, err)
	}
	return ln, nil
}

const (
	// threadsOfProcessor leaves a thread free to poll the network while requests compute. With one
	// thread a processor, Go then polls only every 10 ms.
	threadsOfProcessor = 2
	// collectAt is GOGC. Large answers are garbage at once, and collecting it delays small requests.
	collectAt = 200
)

// tuneRuntime sets GOMAXPROCS and GOGC for dg serve. It respects explicit values.
func tuneRuntime() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsOfProcessor * runtime.GOMAXPROCS(0))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
}
