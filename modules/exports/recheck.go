package exports

import (
	"context"
	"fmt"
	"time"

	"dg/platform/apperr"
)

// The timeouts of a download. A database that does not answer a block or rechecks for that long
// counts as unavailable.
const (
	timeLimit      = 30 * time.Minute
	BlockTimeout   = 9 * time.Second // of the statements behind a block
	recheckEvery   = 500 * time.Millisecond
	recheckTimeout = time.Second
	answerBound    = 8 * time.Second
)

// Causes of an early end.
var (
	errKeyUnusable error = apperr.New(apperr.AuthRequired, "This API key can no longer be used.")
	ErrAccessEnded error = apperr.New(apperr.AuthRequired,
		"Your session or your role in the organisation has ended. Sign in again.")
	ErrNoAnswer error = &apperr.Error{
		Code:       apperr.Unavailable,
		Message:    "The database did not answer. Retry in 5 seconds.",
		RetryAfter: 5,
	}
	ErrTimeLimit error = apperr.New(apperr.Unavailable,
		"The download took longer than 30 minutes. Choose a shorter period.")
)

// Recheck asks again, between the blocks of a download, whether its actor has access.
type Recheck struct {
	ask      func(context.Context) error
	lost     error
	asked    time.Time
	answered time.Time
}

// NewRecheck returns a recheck of an actor who has access now. ask returns nil while that is so,
// and apperr.AuthRequired, apperr.AccessDenied or apperr.NotFound once the actor lost access. Any
// other error means that the database did not answer.
func NewRecheck(ask func(context.Context) error, lost error) *Recheck {
	now := time.Now()
	return &Recheck{ask, lost, now, now}
}

// Check asks at most twice a second. Errors: lost, and ErrNoAnswer after answerBound without an
// answer.
func (r *Recheck) Check(ctx context.Context) error {
	if time.Since(r.asked) < recheckEvery {
		return nil
	}
	asking, done := context.WithTimeout(ctx, recheckTimeout)
	defer done()
	err := r.ask(asking)
	r.asked = time.Now()
	switch {
	case err == nil:
		r.answered = r.asked
		return nil
	case apperr.Is(err, apperr.AuthRequired), apperr.Is(err, apperr.AccessDenied),
		apperr.Is(err, apperr.NotFound):
		return r.lost
	case time.Since(r.answered) > answerBound:
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return nil
}
