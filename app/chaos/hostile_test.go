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

type hostile struct {
	ctx context.Context
	all sync.WaitGroup
}

func attack(dg *apptest.Child) (stop func()) {
	ctx, end := context.WithCancel(context.Background())
	h := &hostile{ctx: ctx}
	public := strings.TrimPrefix(dg.URL, "http://")
	h.hold(public, apptest.Sized(150, 2000, 2000), slowHeaders)
	h.hold(public, apptest.Sized(150, 2000, 2000), slowBodies)
	h.hold(public, apptest.Sized(150, 4500, 4500), slowReaders)
	h.hold(public, apptest.Sized(300, 10_000, 10_000), idle)
	h.hold(dg.Ops, 300, idle)
	return func() {
		end()
		h.all.Wait()
	}
}

// specification, 8; /docs/security: hostile clients open more connections than their address may
// have, and more than the server has files, at the public and at the private listener. Every call of
// a customer is answered right.
func TestChaosHostileClients(t *testing.T) {
	if !apptest.Chaos {
		t.Parallel()
	}
	db := testkit.New(t)
	fewFiles := func(c *exec.Cmd) {
		limited := []string{"sh", "-c", `ulimit -n 256 && exec "$0" "$@"`, c.Path}
		c.Args = append(limited, c.Args[1:]...)
		c.Path = "/bin/sh"
	}
	dg := apptest.LaunchWith(t, fewFiles,
		"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", db.URL, "--migrate-database-url", db.OwnerURL).UntilServing()
	c := newCaller(t, db, dg.URL)
	stop := attack(dg)
	defer stop()
	rest := callEverything([]*caller{c}, 6)
	defer rest()
	<-time.After(time.Duration(apptest.Sized(1, 20, 60)) * time.Second)
	rest()
	stop()
	require.NotContains(t, dg.Log.String(), "too many open files")
	require.NotNil(t, c.answers.Get(string(gotRight)))
	if apptest.Chaos { // in make test other tests run at the same time
		c.answers.Do(func(n expvar.KeyValue) { require.Equal(t, string(gotRight), n.Key, n.Value) })
	}
	requireRight(t, apptest.AdminDBAt(t, db.URL), dg, c)
}

// hold keeps n connections that behave as given, with a small receive window. It opens them within
// two seconds, and each again a second after the server closed it.
func (h *hostile) hold(
	address string, n int, behave func(ctx context.Context, conn net.Conn) error,
) {
	dialer := net.Dialer{
		LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)},
		Timeout:   2 * time.Second,
		Control: func(_, _ string, raw syscall.RawConn) error {
			return raw.Control(func(fd uintptr) {
				_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			})
		},
	}
	for i := range n {
		h.all.Go(func() {
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

func pause(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}

// trickle sends the beginning of a request and then a byte every half second.
func trickle(ctx context.Context, conn net.Conn, beginning string) error {
	_, err := io.WriteString(conn, beginning)
	for err == nil && ctx.Err() == nil {
		pause(ctx, 500*time.Millisecond)
		_, err = io.WriteString(conn, "a")
	}
	return err
}

func slowHeaders(ctx context.Context, conn net.Conn) error {
	return trickle(ctx, conn, "GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nX-Slow: ")
}

func slowBodies(ctx context.Context, conn net.Conn) error {
	return trickle(ctx, conn,
		"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nemail=")
}

// slowReaders pipeline requests for large answers, and read 1 KB a second.
func slowReaders(ctx context.Context, conn net.Conn) error {
	_, err := io.WriteString(conn,
		strings.Repeat("GET /openapi/v1.json HTTP/1.1\r\nHost: x\r\n\r\n", 50))
	for err == nil && ctx.Err() == nil {
		pause(ctx, 500*time.Millisecond)
		_, err = io.ReadFull(conn, make([]byte, 512))
	}
	return err
}

// idle connections are silent after one answer.
func idle(_ context.Context, conn net.Conn) error {
	_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	_, _ = io.Copy(io.Discard, conn)
	return net.ErrClosed
}
