package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// ErrStopped is the cause of responses that the shutdown breaks off.
var ErrStopped = errors.New("the server is stopping")

const (
	abortWait = 4 * time.Second // for aborted requests to end
	// for the last bytes of their responses to reach the connection
	flushWait = 250 * time.Millisecond
)

// Stopping reports whether a shutdown has begun: a health check that says so ends the new requests.
func (s *Server) Stopping() bool { return s.closing.Load() }

// Shutdown stops the server. For Options.ShutdownDelay it serves with Connection: close. Then it
// stops accepting, closes idle connections and waits for requests, for Options.Grace or until ctx
// ends. Last it cancels all handlers and closes all connections. It returns an error if a request
// still runs.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		<-s.stopped
		return nil
	}
	s.stopping = true
	s.closing.Store(true)
	ln := s.listener
	s.mu.Unlock()
	defer close(s.stopped)

	if s.conns.Open() > 0 { // without connections no proxy needs to learn of it
		wait(ctx, s.opts.ShutdownDelay)
	}
	if ln != nil { // fasthttp does not know of a listener whose Serve has only just begun
		_ = ln.Close()
	}
	grace, cancel := context.WithTimeout(ctx, s.opts.Grace)
	defer cancel()
	s.drain(grace)
	err := s.app.ShutdownWithContext(grace)
	if err != nil && !errors.Is(err, net.ErrClosed) && grace.Err() == nil {
		s.log.Error("shutdown", "error", err)
	}
	if n := s.running.Load(); n > 0 {
		s.log.Warn("shutdown: aborting running requests", "requests", n, "grace",
			s.opts.Grace.String())
	}
	return s.abortRunning()
}

// drain closes idle connections until none is left or ctx ends. fasthttp would also close those
// that have just received a request, or whose response began before the shutdown.
func (s *Server) drain(ctx context.Context) {
	waitUntil(s.opts.Grace, func() bool {
		s.conns.ExpireIdle(s.opts.ShutdownDelay)
		return s.conns.Open() == 0 || ctx.Err() != nil
	})
}

// wait waits so long, or until ctx ends.
func wait(ctx context.Context, long time.Duration) {
	select {
	case <-time.After(long):
	case <-ctx.Done():
	}
}

// abortRunning ends the requests that outlived the grace, and closes all connections.
func (s *Server) abortRunning() error {
	s.aborting.Store(true)
	s.abort(ErrStopped)

	ended := waitUntil(abortWait, func() bool { return s.running.Load() == 0 })
	n := s.running.Load()
	// A request ends before its last bytes are written; its connection is closed after them.
	waitUntil(flushWait, func() bool { return s.conns.Open() == 0 })
	s.conns.CloseAll()
	s.sampler.flush()
	if !ended {
		return fmt.Errorf("shutdown: %d requests did not end", n)
	}
	return nil
}

// waitUntil polls for done, at most for limit.
func waitUntil(limit time.Duration, done func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			return done()
		}
	}
	return true
}
