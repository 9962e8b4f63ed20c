package connlimit

import (
	"log/slog"
	"net"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

const testTimeout = 10 * time.Second

// room is a limit on a listener, with clients at several addresses.
type room struct {
	*Limit
	t        *testing.T
	ln       net.Listener
	accepted chan *Conn
}

func newRoom(t *testing.T, o Options) *room {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return newRoomOn(t, o, ln).acceptAll()
}

// acceptAll accepts connections, and keeps the admitted ones, until the end of the test.
func (r *room) acceptAll() *room {
	go func() {
		for {
			c, err := r.ln.Accept()
			if err != nil {
				return
			}
			r.accepted <- c.(*Conn)
		}
	}()
	return r
}

func newRoomOn(t *testing.T, o Options, ln net.Listener) *room {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	o.Rejection = func() []byte { return []byte("no room") }
	r := &room{Limit: New(o), t: t, accepted: make(chan *Conn, 100)}
	r.ln = r.Listen(ln)
	t.Cleanup(func() {
		_ = r.ln.Close()
		r.CloseAll()
	})
	return r
}

// connection has both ends of a connection.
type connection struct {
	*Conn
	client net.Conn
	t      *testing.T
}

// dial returns a client's connection from its address.
func (r *room) dial(address string) net.Conn {
	r.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: testTimeout}
	c, err := d.DialContext(r.t.Context(), "tcp", r.ln.Addr().String())
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(testTimeout))
	return c
}

// open returns an admitted connection that is in the state.
func (r *room) open(address string, state State) connection {
	r.t.Helper()
	client := r.dial(address)
	select {
	case admitted := <-r.accepted:
		admitted.SetState(state)
		return connection{admitted, client, r.t}
	case <-time.After(testTimeout):
		r.t.Fatal("the connection was not admitted")
		panic("unreachable")
	}
}

// slow makes a connection look as if it had kept the server waiting for slowClient.
func (c connection) slow() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.since = c.since.Add(-slowClient)
}

// refused fails unless a new connection is answered by the rejection.
func (r *room) refused(address string) {
	r.t.Helper()
	client := r.dial(address)
	got := make([]byte, 20)
	n, err := client.Read(got)
	require.NoError(r.t, err)
	require.Equal(r.t, "no room", string(got[:n]))
}

// evicted fails unless the server has closed the connection.
func (c connection) evicted() {
	c.t.Helper()
	_, err := c.client.Read(make([]byte, 1))
	require.Error(c.t, err)
	require.NotErrorIs(c.t, err, os.ErrDeadlineExceeded, "the connection is still open")
}

// kept fails unless the connection is open.
func (c connection) kept() {
	c.t.Helper()
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	require.NotNil(c.t, c.places, "the connection was evicted")
}

// counts fails unless so many were evicted, and refused for the reasons.
func (r *room) counts(evicted, share, full float64) {
	r.t.Helper()
	m := r.metrics
	got := [3]float64{testutil.ToFloat64(m.evictions),
		testutil.ToFloat64(m.rejected.WithLabelValues("share")),
		testutil.ToFloat64(m.rejected.WithLabelValues("full"))}
	require.Equal(r.t, [3]float64{evicted, share, full}, got)
}
