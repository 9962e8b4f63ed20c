package exports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/platform/apperr"
)

// These limits bound a download.
const (
	timeLimit       = 30 * time.Minute       // of a whole download
	BlockTimeout    = 9 * time.Second        // of a recheck and the block that follows
	recheckInterval = 500 * time.Millisecond // between two rechecks, at least
	turnWait        = 100 * time.Millisecond // until a block is made out of turn
	recordTimeout   = 20 * time.Second       // of an audit entry
)

// These errors end a download early.
var (
	errAccessEnded = errors.New("the actor has lost access")
	errTimeLimit   = errors.New("the download took longer than 30 minutes")
)

// Recheck returns a function to call before each block of a download. At most once per
// recheckInterval it asks whether the actor still has access, and returns the error of ask.
// apperr.AuthRequired, apperr.AccessDenied and apperr.NotFound mean lost access.
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
