package postgres

import (
	"context"
	"net"
	"strings"
	"sync"
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

// A host that falls silent costs each new connection one short attempt.
func TestSilentHostIsLeftForTheNext(t *testing.T) {
	t.Parallel()
	first := newFreezer(t)
	second := newFreezer(t)
	db := open(t, hosts(first.url, second.url), Options{MaxConns: 3})
	ask := func() error {
		ctx, stop := context.WithTimeout(t.Context(), hostTimeout+time.Second)
		defer stop()
		_, err := db.Pool.Exec(ctx, `select 1`)
		return err
	}
	require.NoError(t, ask())
	first.Lock()
	require.Eventually(t, func() bool { return ask() == nil }, 20*time.Second, time.Millisecond)
	db.Pool.Reset()
	require.NoError(t, ask())
	first.Unlock()
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
