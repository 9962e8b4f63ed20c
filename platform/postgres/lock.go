package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sethvargo/go-retry"
)

// ErrLocked means that another process held a lock for longer than the caller waits.
var ErrLocked = errors.New("another process holds the lock")

const lockRetryInterval = 100 * time.Millisecond

// AwaitLock calls try until it gets the lock, for at most timeout. It logs the wait, so that a
// waiting command does not seem busy. Errors: ErrLocked, those of try, and that of ctx.
func AwaitLock(
	ctx context.Context, log *slog.Logger, name string, timeout time.Duration,
	try func() (bool, error),
) error {
	attempts := retry.WithMaxDuration(timeout, retry.NewConstant(lockRetryInterval))
	logged := timeout == 0
	return retry.Do(ctx, attempts, func(context.Context) error {
		has, err := try()
		if err != nil || has {
			return err
		}
		if !logged {
			logged = true
			log.Info("another process holds the "+name+" lock: waiting", "at_most",
				timeout.String())
		}
		return retry.RetryableError(ErrLocked)
	})
}
