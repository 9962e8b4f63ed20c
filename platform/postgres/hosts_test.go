package postgres

import (
	"context"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hosts is a URL with the hosts of several URLs such as postgres://dg_app@host:port/dg?….
func hosts(urls ...string) string {
	first, rest, _ := strings.Cut(urls[0], "/dg?")
	for _, u := range urls[1:] {
		host, _, _ := strings.Cut(strings.TrimPrefix(u, "postgres://dg_app@"), "/")
		first += "," + host
	}
	return first + "/dg?" + rest
}

// blackHole is a URL at which nothing answers: the system drops connections to a full listener.
func blackHole(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, syscall.Listen(fd, 0))
	name, err := syscall.Getsockname(fd)
	require.NoError(t, err)
	address := (&net.TCPAddr{
		IP:   net.IPv4(127, 0, 0, 1),
		Port: name.(*syscall.SockaddrInet4).Port,
	}).String()
	for range 4 { // until it is full
		if conn, err := net.DialTimeout("tcp", address, 100*time.Millisecond); err == nil {
			t.Cleanup(func() { _ = conn.Close() })
		}
	}
	return "postgres://dg_app@" + address + "/dg?sslmode=disable"
}

// A host that falls silent, or drops packets, costs each new connection one short attempt.
func TestSilentHostIsLeftForTheNext(t *testing.T) {
	t.Parallel()
	first := newFreezer(t)
	second := newFreezer(t)
	for name, url := range map[string]string{
		"falls silent":  hosts(first.url, second.url),
		"drops packets": hosts(blackHole(t), second.url),
	} {
		db := open(t, url, Options{MaxConns: 3})
		ask := func() error {
			ctx, stop := context.WithTimeout(t.Context(), hostTimeout+time.Second)
			defer stop()
			_, err := db.Pool.Exec(ctx, `select 1`)
			return err
		}
		require.NoError(t, ask(), name)
		first.Lock()
		require.Eventually(t, func() bool { return ask() == nil }, 20*time.Second, time.Millisecond,
			name)
		db.Pool.Reset()
		require.NoError(t, ask(), name)
		first.Unlock()
	}
}

// A connection whose server refuses writes, as a standby does, is closed: another one may lead to
// the primary.
func TestConnectionToStandbyIsClosed(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 1})
	conn, err := db.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), `begin read only; create temporary sequence s`)
	if err == nil { // PostgreSQL allows temporary sequences
		_, err = conn.Exec(t.Context(), `select setval('s', 1); create table t (id int)`)
	}
	mentions(t, err, "25006")
	require.True(t, Unavailable(err))
	require.True(t, conn.Conn().IsClosed())
}

// freezer is a relay to the shared server. While its lock is held nothing arrives, and nothing is
// refused or closed.
type freezer struct {
	sync.RWMutex
	url string
}

func newFreezer(t *testing.T) *freezer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &freezer{url: "postgres://dg_app@" + listener.Addr().String() + "/dg?sslmode=disable"}
	relay(t, listener, func(client, database net.Conn) {
		go f.carry(database, client)
		f.carry(client, database)
	})
	return f
}

func (f *freezer) carry(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		f.RLock()
		_, failed := to.Write(buffer[:n])
		f.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}
