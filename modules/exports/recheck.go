package exports

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dg/platform/apperr"
)

// BlockTimeout and the others bound a download.
const (
	timeLimit       = 30 * time.Minute       // of a whole download
	BlockTimeout    = 9 * time.Second        // of the statements behind a block
	recheckInterval = 500 * time.Millisecond // between two rechecks, at least
	recheckTimeout  = 8 * time.Second        // of one recheck
)

// These errors end a download early.
var (
	errKeyUnusable error = apperr.New(apperr.AuthRequired, "This API key can no longer be used.")
	ErrAccessEnded error = apperr.New(apperr.AuthRequired,
		"Your session or your role in the organisation has ended. Sign in again.")
	ErrNoAnswer error = &apperr.Error{
		Code:       apperr.Unavailable,
		Message:    "The database did not answer. Retry in 5 seconds.",
		RetryAfter: 5,
	}
	errTimeLimit error = apperr.New(apperr.Unavailable,
		"The download took longer than 30 minutes. Choose a shorter period.")
)

// Recheck asks again, between the blocks of a download, whether the actor still has access.
type Recheck struct {
	ask   func(context.Context) error
	lost  error // what Check returns after the loss of access
	asked time.Time
}

// NewRecheck returns a recheck of an actor who has access now. ask returns nil while the actor has
// access. After the loss of access it returns apperr.AuthRequired, apperr.AccessDenied or
// apperr.NotFound, and Check returns lost. Any other error counts as no answer of the database.
func NewRecheck(ask func(context.Context) error, lost error) *Recheck {
	return &Recheck{ask, lost, time.Now()}
}

// Check asks at most once per recheckInterval. Errors: lost, ErrNoAnswer and the cause of
// the end of ctx.
func (r *Recheck) Check(ctx context.Context) error {
	if time.Since(r.asked) < recheckInterval {
		return nil
	}
	asking, done := context.WithTimeout(ctx, recheckTimeout)
	defer done()
	err := r.ask(asking)
	r.asked = time.Now()
	switch {
	case err == nil:
		return nil
	case apperr.Is(err, apperr.AuthRequired), apperr.Is(err, apperr.AccessDenied),
		apperr.Is(err, apperr.NotFound):
		return r.lost
	}
	return cmp.Or(context.Cause(ctx), fmt.Errorf("%w: %w", ErrNoAnswer, err))
}
