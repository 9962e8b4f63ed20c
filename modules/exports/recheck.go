package exports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/platform/apperr"
)

// BlockTimeout and the others bound a download.
const (
	timeLimit       = 30 * time.Minute       // of a whole download
	BlockTimeout    = 9 * time.Second        // of a recheck and the statements behind a block
	recheckInterval = 500 * time.Millisecond // between two rechecks, at least
	recordTimeout   = 20 * time.Second       // of an audit entry
)

// These errors end a download early.
var (
	errAccessEnded = errors.New("the actor has lost access")
	errTimeLimit   = errors.New("the download took longer than 30 minutes")
)

// Recheck returns a function that asks again, between the blocks of a download, whether an actor who
// has access now still has it. It asks at most once per recheckInterval, and returns errors of ask.
// Of these, apperr.AuthRequired, apperr.AccessDenied and apperr.NotFound mean the loss of access.
func Recheck(ask func(context.Context) error) func(context.Context) error {
	asked := time.Now()
	return func(ctx context.Context) error {
		if time.Since(asked) < recheckInterval {
			return nil
		}
		err := ask(ctx)
		asked = time.Now()
		if apperr.Is(err, apperr.AuthRequired) || apperr.Is(err, apperr.AccessDenied) ||
			apperr.Is(err, apperr.NotFound) {
			return fmt.Errorf("%w: %w", errAccessEnded, err)
		}
		return err
	}
}
