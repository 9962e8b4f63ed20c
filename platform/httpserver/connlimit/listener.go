package connlimit

import (
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A failing accept is retried after acceptWait, which doubles up to maxAcceptWait. It is logged
// again once it has not failed for acceptLogInterval.
const (
	acceptWait        = 5 * time.Millisecond
	maxAcceptWait     = time.Second
	acceptLogInterval = 10 * time.Second
)

// MaxRejecting bounds concurrent 503 responses; further connections are closed without a response.
// Each holds a file descriptor above the limit for at most half a second.
const MaxRejecting = 16

// listener returns admitted connections.
type listener struct {
	net.Listener
	limit       *Limit
	rejecting   chan struct{}
	lastFailure time.Time

	once   sync.Once
	closed chan struct{}
}

// Listen returns a listener of the admitted TCP connections of ln. Only Close ends it.
func (l *Limit) Listen(ln net.Listener) net.Listener {
	return &listener{Listener: ln, limit: l, rejecting: make(chan struct{}, MaxRejecting),
		closed: make(chan struct{})}
}

// Close ends Accept, also where it waits for a retry.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Accept returns the next admitted connection. It fails when the listener is closed or permanently
// broken.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.accept()
		if err != nil {
			return nil, err
		}
		tcp := c.(*net.TCPConn)
		if admitted := l.limit.admit(tcp); admitted != nil {
			return admitted, nil
		}
		l.reject(tcp)
	}
}

// accept retries transient errors.
func (l *listener) accept() (net.Conn, error) {
	for wait := acceptWait; ; wait = min(2*wait, maxAcceptWait) {
		c, err := l.Listener.Accept()
		if err == nil || !isTransient(err) {
			return c, err
		}
		l.limit.metrics.failures.Inc()
		if time.Since(l.lastFailure) > acceptLogInterval {
			l.limit.opts.Log.Error("cannot accept connections: retrying", "error", err, "open",
				l.limit.Open())
		}
		l.lastFailure = time.Now()
		select {
		case <-time.After(wait):
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
}

// isTransient reports whether an error of accept concerns this moment or one client, not the
// listener.
func isTransient(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	},
		func(e error) bool { return errors.Is(err, e) })
}

// reject closes a connection, with a 503 unless too many are being rejected.
func (l *listener) reject(tcp *net.TCPConn) {
	select {
	case l.rejecting <- struct{}{}:
	default:
		_ = tcp.Close()
		return
	}
	go func() {
		defer func() { <-l.rejecting }()
		if tcp.SetDeadline(time.Now().Add(lingerTime)) == nil {
			_, _ = tcp.Write(l.limit.opts.Rejection())
		}
		_ = lingerAndClose(tcp)
	}()
}
