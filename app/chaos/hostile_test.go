package chaos

import (
	"context"
	"expvar"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

type hostileClients struct {
	ctx     context.Context
	running sync.WaitGroup
}

// Hostile connections to both listeners break no response to a customer.
func TestHostileClientsBreakNoResponse(t *testing.T) {
	if !apptest.ChaosEnabled {
		t.Parallel()
	}
	db := testkit.New(t)
	limitFiles := func(c *exec.Cmd) {
		c.Args = append([]string{"sh", "-c", `ulimit -n 256 && exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
	}
	dg := apptest.LaunchWith(t, limitFiles, append([]string{"serve"}, db.Flags()...)...).AwaitServing()
	customer := newCaller(t, db, dg.ListenURL)
	ctx, cancel := context.WithCancel(t.Context())
	hostile := &hostileClients{ctx: ctx}
	stop := func() {
		cancel()
		hostile.running.Wait()
	}
	defer stop()
	addr := strings.TrimPrefix(dg.ListenURL, "http://")
	hostile.hold(addr, apptest.PickSize(150, 2000, 2000), trickle("GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nX-Slow: "))
	hostile.hold(addr, apptest.PickSize(150, 2000, 2000),
		trickle("POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nemail="))
	hostile.hold(addr, apptest.PickSize(150, 4500, 4500), readSlowly)
	hostile.hold(addr, apptest.PickSize(300, 10_000, 10_000), stayIdle)
	hostile.hold(dg.OpsAddress, 300, stayIdle)
	stopCalls := callEverything([]*caller{customer}, 6)
	defer stopCalls()
	<-time.After(time.Duration(apptest.PickSize(1, 20, 60)) * time.Second)
	stopCalls()
	stop()
	require.NotContains(t, dg.Log.String(), "too many open files")
	require.NotNil(t, customer.outcomes.Get(string(outcomeRight)))
	if apptest.ChaosEnabled { // in make test, parallel tests may slow dg until it refuses a call
		customer.outcomes.Do(func(n expvar.KeyValue) { require.Equal(t, string(outcomeRight), n.Key, n.Value) })
	}
	requireCorrectResponses(t, apptest.OpenAdminDBAt(t, db.URL), dg, customer)
}

// hold runs behave on n connections with small receive windows. A second after a connection ends, it opens a new one.
func (h *hostileClients) hold(address string, n int, behave func(ctx context.Context, conn net.Conn) error) {
	dialer := net.Dialer{
		LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}, Timeout: 2 * time.Second,
		Control: func(_, _ string, raw syscall.RawConn) error {
			return raw.Control(func(fd uintptr) {
				_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			})
		},
	}
	for i := range n {
		h.running.Go(func() {
			pause(h.ctx, time.Duration(i)*2*time.Second/time.Duration(n))
			for h.ctx.Err() == nil {
				if conn, err := dialer.DialContext(h.ctx, "tcp", address); err == nil {
					stop := context.AfterFunc(h.ctx, func() { _ = conn.Close() })
					for err == nil {
						err = behave(h.ctx, conn)
					}
					stop()
					_ = conn.Close()
				}
				pause(h.ctx, time.Second)
			}
		})
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// trickle returns a function that sends the beginning of a request, and then a byte every half second.
func trickle(beginning string) func(ctx context.Context, conn net.Conn) error {
	return func(ctx context.Context, conn net.Conn) error {
		_, err := io.WriteString(conn, beginning)
		for err == nil && ctx.Err() == nil {
			pause(ctx, 500*time.Millisecond)
			_, err = io.WriteString(conn, "a")
		}
		return err
	}
}

func readSlowly(ctx context.Context, conn net.Conn) error {
	_, err := io.WriteString(conn, strings.Repeat("GET /openapi/v1.json HTTP/1.1\r\nHost: x\r\n\r\n", 50))
	for err == nil && ctx.Err() == nil {
		pause(ctx, 500*time.Millisecond)
		_, err = io.ReadFull(conn, make([]byte, 512))
	}
	return err
}

func stayIdle(_ context.Context, conn net.Conn) error {
	_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	_, _ = io.Copy(io.Discard, conn)
	return net.ErrClosed
}
