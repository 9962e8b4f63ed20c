package postgres

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/logbook"
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

// ask runs one statement and returns how long it took.
func ask(t *testing.T, db *DB) (time.Duration, error) {
	t.Helper()
	begun := time.Now()
	ctx, stop := context.WithTimeout(t.Context(), 2*SilenceTimeout)
	defer stop()
	_, err := db.Pool.Exec(ctx, `select pg_sleep(0.05)`)
	return time.Since(begun), err
}

// When the host in use falls silent, waiting and later requests soon use the next one. They stay
// with it when the first answers again.
func TestSilentHostIsLeftForTheNext(t *testing.T) {
	t.Parallel()
	first := newFreezer(t)
	second := newFreezer(t)
	var book logbook.Book
	db := open(t, hosts(first.url, second.url),
		Options{MaxConns: 3, Heartbeat: true, Logger: book.Logger()})
	_, err := ask(t, db)
	require.NoError(t, err)
	first.Lock()
	require.Eventually(t, func() bool {
		_, err := ask(t, db)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	for range 5 {
		db.Pool.Reset()
		took, err := ask(t, db)
		require.NoError(t, err)
		require.Less(t, took, hostTimeout, "a new connection tries the silent host first")
	}
	first.Unlock()
	require.Eventually(t, func() bool {
		return strings.Contains(book.String(), "the database answers again")
	}, SilenceTimeout, 50*time.Millisecond)
	_, err = ask(t, db)
	require.NoError(t, err)
}

// A host that drops packets costs one short attempt, and later connections no attempt.
func TestHostThatDropsPacketsIsTriedLast(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	db := open(t, hosts(blackHole(t), newFreezer(t).url), Options{MaxConns: 2, Heartbeat: true})
	require.Less(t, time.Since(begun), connectTimeout-hostTimeout)
	require.Eventually(t, func() bool {
		db.Pool.Reset()
		took, err := ask(t, db)
		return err == nil && took < hostTimeout/2
	}, 10*time.Second, 10*time.Millisecond)
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
