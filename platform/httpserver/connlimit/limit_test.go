package connlimit

import (
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

func TestLongestIdleConnectionIsEvicted(t *testing.T) {
	r := newRoom(t, Options{Max: 6})
	silent := r.open("127.0.0.2", Idle)
	first := r.open("127.0.0.2", Idle)
	serving := r.open("127.0.0.3", Serving)
	second := r.open("127.0.0.3", Idle)
	third := r.open("127.0.0.4", Idle)
	first.SetState(Serving)
	first.SetState(Idle) // it is now the one that has been idle shortest
	fourth := r.open("127.0.0.4", Idle)
	for i, victim := range []connection{silent, second, third, first, fourth} {
		r.open([]string{"127.0.0.5", "127.0.0.6", "127.0.0.7", "127.0.0.8", "127.0.0.9"}[i], Serving)
		victim.evicted()
	}
	serving.kept()
	r.refused("127.0.0.10")
	r.counts(5, 0, 1)
	serving.SetState(Idle)
	r.open("127.0.0.10", Idle)
	serving.evicted()
}

func TestAddressHasHalfOfTheConnections(t *testing.T) {
	r := newRoom(t, Options{Max: 6})
	other := r.open("127.0.0.3", Idle) // idle for longest of all
	own := r.open("127.0.0.2", Idle)
	for range 3 {
		r.open("127.0.0.2", Serving)
	}
	own.evicted()
	r.refused("127.0.0.2")
	other.kept()
	r.open("127.0.0.4", Idle)
	r.counts(1, 1, 0)
}

func TestTrustedProxyMayHaveAllConnections(t *testing.T) {
	r := newRoom(t, Options{
		Max:    6,
		Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
	})
	for range 6 {
		r.open("127.0.0.2", Serving)
	}
}

// Otherwise slow senders would hold all connections (slowloris).
func TestWaitingConnectionIsEvictedOnceItIsSlow(t *testing.T) {
	r := newRoom(t, Options{Max: 2})
	waiting := r.open("127.0.0.2", Waiting)
	r.open("127.0.0.3", Serving)
	r.refused("127.0.0.4")
	waiting.slow()
	r.open("127.0.0.4", Idle)
	waiting.evicted()
}

// At the limit, an address above its share loses one of its own connections. If it evicted others,
// eight addresses that connect as fast as they can would evict all idle clients.
func TestAddressAboveItsShareMakesRoomAmongItsOwn(t *testing.T) {
	r := newRoom(t, Options{Max: 8})
	other := r.open("127.0.0.9", Idle) // idle for longest of all
	var crowd []connection
	for range 3 {
		crowd = append(crowd, r.open("127.0.0.2", Idle), r.open("127.0.0.3", Idle))
	}
	r.open("127.0.0.3", Idle)
	for i := range 3 {
		r.open("127.0.0.2", Idle)
		crowd[2*i].evicted()
	}
	other.kept()
	crowd[1].kept()
}

// A slow client above its share is evicted at once, not after a second.
func TestAddressWithinItsShareIsSpared(t *testing.T) {
	r := newRoom(t, Options{Max: 6})
	other := r.open("127.0.0.9", Idle) // the only idle one
	slow := r.open("127.0.0.2", Waiting)
	r.open("127.0.0.2", Waiting)
	r.open("127.0.0.2", Waiting)
	r.open("127.0.0.3", Serving)
	r.open("127.0.0.3", Serving)
	r.open("127.0.0.4", Idle)
	slow.evicted()
	other.kept()
}

func TestClosedConnectionsAreForgotten(t *testing.T) {
	r := newRoom(t, Options{Max: 50})
	for i := range 40 {
		c := r.open("127.0.0."+string(rune('2'+i%4)), State(i%int(states)))
		_ = c.Close()
		_ = c.Close()
		c.SetState(Idle) // the server does not know yet that it is closed
	}
	require.Zero(t, r.Open())
	require.Empty(t, r.clients)
}

// failingListener fails the next accepts.
type failingListener struct {
	net.Listener
	with []error
}

func (f *failingListener) Accept() (net.Conn, error) {
	if len(f.with) > 0 {
		err := f.with[0]
		f.with = f.with[1:]
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
	}
	return f.Listener.Accept()
}

func newFailingRoom(t *testing.T, with ...error) *room {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return newRoomOn(t, Options{Max: 10}, &failingListener{ln, with})
}

func TestTransientAcceptErrorsAreRetried(t *testing.T) {
	r := newFailingRoom(t, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ECONNABORTED, syscall.EMFILE).acceptAll()
	r.open("127.0.0.2", Idle)
	require.Equal(t, 6.0, testutil.ToFloat64(r.metrics.failures))
}

func TestAcceptRetryEndsWithTheListener(t *testing.T) {
	r := newFailingRoom(t, slices.Repeat([]error{syscall.EMFILE}, 100)...)
	ended := make(chan error, 1)
	go func() {
		_, err := r.ln.Accept()
		ended <- err
	}()
	_ = r.ln.Close()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, net.ErrClosed)
	case <-time.After(testTimeout):
		t.Error("Accept still waits")
	}
}

func TestBrokenListenerEndsAccept(t *testing.T) {
	_, err := newFailingRoom(t, syscall.EINVAL).ln.Accept()
	require.ErrorIs(t, err, syscall.EINVAL)
}

// A request that arrived before its deadline is read, even if the server had no time for it until
// then.
func TestDeadlineDoesNotHideWhatHasArrived(t *testing.T) {
	c := newRoom(t, Options{Max: 2}).open("127.0.0.2", Idle)
	_, _ = io.WriteString(c.client, "G")
	expired := func() (int, error) {
		_ = c.SetReadDeadline(time.Unix(1, 0))
		return c.Read(make([]byte, 8))
	}
	var n int
	var err error
	for end := time.Now().Add(testTimeout); n == 0 && time.Now().Before(end); {
		n, err = expired()
	}
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = expired()
	require.Zero(t, n)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
