package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// ErrLocked means that another process held a lock for longer than the caller waits.
var ErrLocked = errors.New("another process holds the lock")

const (
	lockRetryInterval = 100 * time.Millisecond
	lockLogInterval   = time.Minute
)

// AwaitLock calls try until it gets the lock, for at most timeout. It logs the wait, which would
// otherwise look like work. Errors: ErrLocked, those of try, and that of ctx.
func AwaitLock(
	ctx context.Context, log *slog.Logger, name string, timeout time.Duration,
	try func() (bool, error),
) error {
	begin := time.Now()
	logged := time.Time{}
	for {
		has, err := try()
		switch {
		case err != nil || has:
			return err
		case time.Since(begin) >= timeout:
			return ErrLocked
		case time.Since(logged) >= lockLogInterval:
			logged = time.Now()
			log.Info("another process holds the "+name+" lock: waiting", "at_most",
				timeout.String())
		}
		if err := pause(ctx, lockRetryInterval); err != nil {
			return err
		}
	}
}

// pause waits for d, or fails when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
