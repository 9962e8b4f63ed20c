package httpserver

import (
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// A failing accept is retried after acceptWait, which doubles up to maxAcceptWait. It is logged
// again once it has not failed for acceptLogInterval.
const (
	acceptWait        = 5 * time.Millisecond
	maxAcceptWait     = time.Second
	acceptLogInterval = 10 * time.Second
)

// maxRejecting bounds concurrent 503 responses; further connections are closed without a response.
// Each holds a file descriptor above the limit for at most half a second.
const maxRejecting = 16

// listener returns admitted connections. Only Close ends it, because fasthttp stops serving at any
// error of accept.
type listener struct {
	net.Listener
	conns       *connections
	log         *slog.Logger
	rejection   func() []byte // the response to a connection that is not admitted
	rejecting   chan struct{}
	lastFailure time.Time

	once   sync.Once
	closed chan struct{}
}

func (s *Server) newListener(ln net.Listener) *listener {
	return &listener{Listener: ln, conns: s.conns, log: s.log, rejection: s.rejection,
		rejecting: make(chan struct{}, maxRejecting), closed: make(chan struct{})}
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
		tcp, ok := c.(*net.TCPConn)
		if err != nil || !ok {
			return c, err
		}
		if admitted := l.conns.admit(tcp); admitted != nil {
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
		l.conns.metrics.failures.Inc()
		if time.Since(l.lastFailure) > acceptLogInterval {
			l.log.Error("cannot accept connections: retrying", "error", err, "open",
				l.conns.count())
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
			_, _ = tcp.Write(l.rejection())
		}
		_ = lingerAndClose(tcp)
	}()
}

// rejection is the response of a server that has no room.
func (s *Server) rejection() []byte {
	var ctx fasthttp.RequestCtx
	rec := &requestRecord{srv: s, id: requestID(nil), route: unmatched}
	ctx.SetUserValue(recordKey{}, rec)
	rec.writeDirectly(&ctx, genericFailure(fasthttp.StatusServiceUnavailable))
	rec.setCommonHeaders(&ctx.Response)
	ctx.SetConnectionClose()
	return append(ctx.Response.Header.Header(), ctx.Response.Body()...)
}
