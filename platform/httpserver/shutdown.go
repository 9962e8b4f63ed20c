package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// ErrStopped is the cause when a stream or a query was broken off because the server stops.
var ErrStopped = errors.New("the server is stopping")

// abortWait is how long broken answers get to notice that they are broken.
const abortWait = 4 * time.Second

// flushWait is how long the last bytes of an answer get from there to the connection.
const flushWait = 250 * time.Millisecond

// Shutdown stops the server: it accepts nothing new, lets running answers finish within Options.Grace or until ctx
// ends, then ends BaseContext, which breaks streams and queries, and at last closes every connection that is left.
// It returns an error when an answer still ran after all that. The database pool may be closed once it returned.
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

	// Closed here as well, since fasthttp does not know of a listener whose Serve has only just begun.
	if ln != nil {
		_ = ln.Close()
	}
	grace, cancel := context.WithTimeout(ctx, s.opts.Grace)
	defer cancel()
	err := s.app.ShutdownWithContext(grace)
	if err != nil && !errors.Is(err, net.ErrClosed) && grace.Err() == nil {
		s.log.Error("shutdown", "error", err)
	}
	// A file in flight outlives the listener only by the connection it runs on; both are gone when this is 0.
	if n := s.running.Load(); n > 0 {
		s.log.Warn("shutdown: breaking off what still runs", "answers", n, "grace", s.opts.Grace.String())
	}
	return s.breakOff()
}

// breakOff ends what outlived the grace.
func (s *Server) breakOff() error {
	s.aborting.Store(true)
	s.abort(ErrStopped)

	ended := await(abortWait, func() bool { return s.running.Load() == 0 })
	n := s.running.Load()
	// An answer counts as ended before its last bytes are written. Each closes its connection after them.
	await(flushWait, func() bool { return s.conns.count() == 0 })
	s.conns.closeAll()
	s.unknown.flush()
	if !ended {
		return fmt.Errorf("shutdown: %d answers did not end", n)
	}
	return nil
}

// await polls for done, at most for limit.
func await(limit time.Duration, done func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	give := time.NewTimer(limit)
	defer give.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-give.C:
			return done()
		}
	}
	return true
}
