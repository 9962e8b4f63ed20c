package postgres

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/logbook"
)

// freezer is a way to the shared server on which nothing arrives while its lock is held: nothing is
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

// Statements that run, statements that wait for a connection and statements that come later all
// fail within the bound; when the server answers again, so does the pool.
func TestSilentServerIsUnavailableWithinTheBound(t *testing.T) {
	t.Parallel()
	f := newFreezer(t)
	var book logbook.Book
	db := open(t, f.url, Options{MaxConns: 3, Heartbeat: true, Logger: book.Logger()})
	ask := func() (time.Duration, error) {
		begin := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), 3*SilenceTimeout)
		defer stop()
		_, err := db.Pool.Exec(ctx, `select pg_sleep(0.1)`)
		return time.Since(begin), err
	}
	_, err := ask()
	require.NoError(t, err)
	f.Lock()
	for range 2 {
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				took, err := ask()
				if !Unavailable(err) || took > SilenceTimeout {
					t.Errorf("%v after %s", err, took)
				}
			})
		}
		all.Wait()
	}
	f.Unlock()
	require.Eventually(t, func() bool {
		_, err := ask()
		return err == nil
	}, SilenceTimeout, 100*time.Millisecond)
	require.Contains(t, book.String(), "the database does not answer")
	require.Contains(t, book.String(), "the database answers again")
}

// A statement that is only slow is left alone, whether other connections hear anything or not.
func TestSlowStatementIsNotSilence(t *testing.T) {
	t.Parallel()
	db := open(t, newFreezer(t).url, Options{MaxConns: 1, Heartbeat: true})
	_, err := db.Pool.Exec(t.Context(), `select pg_sleep(6)`)
	require.NoError(t, err)
}
