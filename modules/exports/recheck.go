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

// Recheck returns a function that asks again, between the blocks of a download, whether an actor who
// has access now still has it. It asks at most once per recheckInterval. ask returns nil, or after
// the loss of access apperr.AuthRequired, apperr.AccessDenied or apperr.NotFound, for which lost is
// returned. For any other error of ask, ErrNoAnswer or the cause of the end of ctx is returned.
func Recheck(ask func(context.Context) error, lost error) func(context.Context) error {
	asked := time.Now()
	return func(ctx context.Context) error {
		if time.Since(asked) < recheckInterval {
			return nil
		}
		asking, done := context.WithTimeout(ctx, recheckTimeout)
		defer done()
		err := ask(asking)
		asked = time.Now()
		switch {
		case err == nil:
			return nil
		case apperr.Is(err, apperr.AuthRequired), apperr.Is(err, apperr.AccessDenied),
			apperr.Is(err, apperr.NotFound):
			return lost
		}
		return cmp.Or(context.Cause(ctx), fmt.Errorf("%w: %w", ErrNoAnswer, err))
	}
}
