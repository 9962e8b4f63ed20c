package postgres

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/logbook"
)

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

// Running, queued and later statements all fail within the bound. When the server answers again, so
// does the pool.
func TestSilentServerIsUnavailableWithinTheBound(t *testing.T) {
	t.Parallel()
	f := newFreezer(t)
	var book logbook.Book
	db := open(t, f.url, Options{MaxConns: 3, Heartbeat: true, Logger: book.Logger()})
	_, err := ask(t, db)
	require.NoError(t, err)
	f.Lock()
	for range 2 {
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				took, err := ask(t, db)
				if !Unavailable(err) || took > SilenceTimeout {
					t.Errorf("%v after %s", err, took)
				}
			})
		}
		all.Wait()
	}
	f.Unlock()
	require.Eventually(t, func() bool {
		_, err := ask(t, db)
		return err == nil
	}, SilenceTimeout, 100*time.Millisecond)
	require.Contains(t, book.String(), "the database does not answer")
	require.Contains(t, book.String(), "the database answers again")
}

// A slow statement on a server that answers is not cancelled.
func TestSlowStatementIsNotSilence(t *testing.T) {
	t.Parallel()
	db := open(t, newFreezer(t).url, Options{MaxConns: 1, Heartbeat: true})
	_, err := db.Pool.Exec(t.Context(), `select pg_sleep(6)`)
	require.NoError(t, err)
}
