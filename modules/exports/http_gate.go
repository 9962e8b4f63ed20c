package exports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/postgres"
)

const (
	timeLimit       = 30 * time.Minute       // maximum time of a whole download
	blockTimeout    = 9 * time.Second        // maximum time of a recheck and the next block
	recheckInterval = 500 * time.Millisecond // minimum time between two rechecks
	recheckTimeout  = 2 * time.Second        // maximum time of the first attempt, whose connection may be dead
	turnWait        = 100 * time.Millisecond // maximum wait for a turn; the block is then made without a turn
)

var (
	errAccessEnded = errors.New("the actor has lost access")
	errTimeLimit   = errors.New("the download took longer than 30 minutes")
)

// Recheck returns an error unless db says that the actor of a download still has access. It runs
// after the handler has returned, so it must not use the handler's fiber.Ctx.
type Recheck func(ctx context.Context, db *postgres.DB) error

// Gate ends a download after timeLimit or when its actor has lost access, and limits its use of the
// processors. Downloads of audit logs use it too.
type Gate struct {
	// Context ends when Close is called, when the server stops (cause httpserver.ErrStopped), or
	// when a block exceeds its timeout (cause context.DeadlineExceeded).
	Context context.Context

	stop                 context.CancelCauseFunc
	turns, rechecking    chan struct{}
	recheck              func(context.Context) error
	beganAt, recheckedAt time.Time
	firstByteDeadline    time.Time // deadline of the first block; zero after that block
}

// NewGate returns the gate of a new download. The caller must call Close. The first block must meet
// the request's deadline.
func (s *Service) NewGate(c *fiber.Ctx, recheck Recheck) *Gate {
	now := time.Now()
	g := &Gate{
		turns: s.turns, rechecking: s.rechecking, beganAt: now, recheckedAt: now,
		recheck: func(ctx context.Context) error { return recheck(ctx, s.recheckDB) },
	}
	g.firstByteDeadline, _ = c.UserContext().Deadline()
	g.Context, g.stop = context.WithCancelCause(httpserver.StreamContext(c))
	return g
}

// Close cancels Context, and with it the queries of the download.
func (g *Gate) Close() { g.stop(nil) }

// Enter waits at most turnWait for a turn and calls checkAccess. The caller makes one block, and
// then calls leave. Errors: errTimeLimit, errAccessEnded, those of recheck, or the cause of
// Context.
func (g *Gate) Enter() (leave func(), err error) {
	if time.Since(g.beganAt) > timeLimit {
		return nil, errTimeLimit
	}
	freeTurn := func() {}
	select { // clients that read fast must not keep the processors from other requests
	case g.turns <- struct{}{}:
		freeTurn = func() { <-g.turns }
	case <-time.After(turnWait): // the holders of all turns may be waiting for the database
	}
	timeout := blockTimeout
	if !g.firstByteDeadline.IsZero() {
		timeout = min(timeout, time.Until(g.firstByteDeadline))
		g.firstByteDeadline = time.Time{}
	}
	timer := time.AfterFunc(timeout, func() { g.stop(context.DeadlineExceeded) })
	finish := func() {
		timer.Stop()
		freeTurn()
	}
	defer func() { // also after a panic in recheck
		if leave == nil {
			finish()
		}
	}()
	if err := g.checkAccess(); err != nil {
		return nil, err
	}
	return finish, nil
}

// checkAccess calls recheck unless the last call is more recent than recheckInterval. It repeats
// the call while the database is unavailable. It returns errAccessEnded if recheck reports
// apperr.AuthRequired, apperr.AccessDenied or apperr.NotFound.
func (g *Gate) checkAccess() error {
	if time.Since(g.recheckedAt) < recheckInterval {
		return nil
	}
	select { // one recheck at a time, so that a dead connection leaves the pool's second one free
	case g.rechecking <- struct{}{}:
		defer func() { <-g.rechecking }()
	case <-g.Context.Done():
		return context.Cause(g.Context)
	}
	ctx, cancel := context.WithTimeout(g.Context, recheckTimeout)
	err := g.recheck(ctx)
	cancel()
	for postgres.IsUnavailable(err) && g.Context.Err() == nil {
		select {
		case <-g.Context.Done():
		case <-time.After(recheckInterval):
			err = g.recheck(g.Context)
		}
	}
	g.recheckedAt = time.Now()
	switch {
	case g.Context.Err() != nil:
		return context.Cause(g.Context)
	case apperr.Is(err, apperr.AuthRequired), apperr.Is(err, apperr.AccessDenied),
		apperr.Is(err, apperr.NotFound):
		return fmt.Errorf("%w: %w", errAccessEnded, err)
	}
	return err
}
