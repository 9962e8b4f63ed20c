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

// What happens where accepting fails for a while: the first wait, which doubles, and the longest; and after how long
// without a failure the next one is worth a line in the log.
const (
	acceptWait    = 5 * time.Millisecond
	maxAcceptWait = time.Second
	acceptEpisode = 10 * time.Second
)

// maxRefusing is how many connections are told at once that there is no room for them; others are closed without a word.
// Each takes a file beyond the limit of connections, for half a second at most.
const maxRefusing = 16

// listener hands out the connections that there is room for. It ends only when it is closed: fasthttp takes an error of
// accept for the end of the service.
type listener struct {
	net.Listener
	conns  *connections
	log    *slog.Logger
	busy   func() []byte // the answer to a connection that there is no room for
	places chan struct{} // of refusing
	failed time.Time     // when accepting failed last

	once   sync.Once
	closed chan struct{}
}

func (s *Server) newListener(ln net.Listener) *listener {
	return &listener{Listener: ln, conns: s.conns, log: s.log, busy: s.busyAnswer, places: make(chan struct{}, maxRefusing), closed: make(chan struct{})}
}

// Close ends Accept, also where it waits.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Accept returns the next connection that there is room for. It fails when the listener is closed or broken for good.
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
		l.refuse(tcp)
	}
}

// accept waits out what passes.
func (l *listener) accept() (net.Conn, error) {
	for wait := acceptWait; ; wait = min(2*wait, maxAcceptWait) {
		c, err := l.Listener.Accept()
		if err == nil || !passes(err) {
			return c, err
		}
		if time.Since(l.failed) > acceptEpisode {
			l.log.Error("connections cannot be accepted: trying again until they can", "error", err, "open", l.conns.count())
		}
		l.failed = time.Now()
		select {
		case <-time.After(wait):
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
}

// passes says whether an error of accept says something of this moment, or of one client, and nothing of the listener.
func passes(err error) bool {
	return slices.ContainsFunc([]error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED},
		func(e error) bool { return errors.Is(err, e) })
}

// refuse closes a connection, with 503 where there is a place to wait until the client has read it.
func (l *listener) refuse(tcp *net.TCPConn) {
	select {
	case l.places <- struct{}{}:
	default:
		_ = tcp.Close()
		return
	}
	go func() {
		defer func() { <-l.places }()
		if tcp.SetDeadline(time.Now().Add(lingerTime)) == nil {
			_, _ = tcp.Write(l.busy())
		}
		_ = lingerAndClose(tcp)
	}()
}

// busyAnswer is the error answer of a server that has no room.
func (s *Server) busyAnswer() []byte {
	var ctx fasthttp.RequestCtx
	x := &exchange{srv: s, id: requestID(nil), route: unmatched}
	x.fail(&ctx, failureOf(fasthttp.StatusServiceUnavailable))
	x.setCommonHeaders(&ctx.Response)
	ctx.SetConnectionClose()
	return append(ctx.Response.Header.Header(), ctx.Response.Body()...)
}
