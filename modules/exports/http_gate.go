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

// These limits bound a download.
const (
	timeLimit       = 30 * time.Minute       // of a whole download
	blockTimeout    = 9 * time.Second        // of a recheck and the block that follows
	recheckInterval = 500 * time.Millisecond // between two rechecks, at least
	turnWait        = 100 * time.Millisecond // until a block is made out of turn
)

// These errors end a download early.
var (
	errAccessEnded = errors.New("the actor has lost access")
	errTimeLimit   = errors.New("the download took longer than 30 minutes")
)

// Recheck fails if the actor of a download has lost access, which it reads from db. It outlives the
// handler, whose fiber.Ctx it must not use.
type Recheck func(ctx context.Context, db *postgres.DB) error

// Gate bounds a download, also one that is no export: its time, its turns on the processors and its
// access.
type Gate struct {
	// Context is the download's. It ends by Close, or with context.DeadlineExceeded as its cause when
	// a block takes longer than blockTimeout.
	Context context.Context

	stop                 context.CancelCauseFunc
	turns                chan struct{}
	recheck              func(context.Context) error // on the pool of the service
	beganAt, recheckedAt time.Time
	firstByte            time.Time // deadline of the first block; zero after it
}

// NewGate returns the gate of a download that begins, for Close. The first block ends with the
// deadline of the request.
func (s *Service) NewGate(c *fiber.Ctx, recheck Recheck) *Gate {
	now := time.Now()
	g := &Gate{
		turns: s.turns, beganAt: now, recheckedAt: now,
		recheck: func(ctx context.Context) error { return recheck(ctx, s.rechecks) },
	}
	g.firstByte, _ = c.UserContext().Deadline()
	g.Context, g.stop = context.WithCancelCause(httpserver.StreamContext(c))
	return g
}

// Close ends Context.
func (g *Gate) Close() { g.stop(nil) }

// Enter waits for a turn and rechecks the access, before each block. The caller makes the block, and
// then calls leave. Errors: errTimeLimit, errAccessEnded, those of recheck, or the cause of Context.
func (g *Gate) Enter() (leave func(), err error) {
	if time.Since(g.beganAt) > timeLimit {
		return nil, errTimeLimit
	}
	free := func() {}
	select { // clients that read fast must not keep the processors from other requests
	case g.turns <- struct{}{}:
		free = func() { <-g.turns }
	case <-time.After(turnWait): // those whose turn it is wait for the database
	}
	timer := time.AfterFunc(g.timeout(), func() { g.stop(context.DeadlineExceeded) })
	back := func() {
		timer.Stop()
		free()
	}
	entered := false
	defer func() { // also after a panic of recheck
		if !entered {
			back()
		}
	}()
	if err := g.checkAccess(); err != nil {
		return nil, err
	}
	entered = true
	return back, nil
}

// timeout returns the time that the next block has.
func (g *Gate) timeout() time.Duration {
	if g.firstByte.IsZero() {
		return blockTimeout
	}
	left := time.Until(g.firstByte)
	g.firstByte = time.Time{}
	return min(left, blockTimeout)
}

// checkAccess takes apperr.AuthRequired, apperr.AccessDenied and apperr.NotFound for lost access.
func (g *Gate) checkAccess() error {
	if time.Since(g.recheckedAt) < recheckInterval {
		return nil
	}
	err := g.recheck(g.Context)
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
