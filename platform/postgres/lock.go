package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// ErrLocked says that another process held a lock for as long as it was waited for.
var ErrLocked = errors.New("another process holds the lock")

const (
	lookEvery = 100 * time.Millisecond
	sayEvery  = time.Minute
)

// AwaitLock calls try until it has the lock, for as long as patience says. It says in the log that it waits, and for which
// lock: a wait that nobody hears of looks like work. Errors: ErrLocked, those of try, and that of ctx.
func AwaitLock(ctx context.Context, log *slog.Logger, name string, patience time.Duration, try func() (bool, error)) error {
	begun, said := time.Now(), time.Time{}
	for {
		has, err := try()
		switch {
		case err != nil || has:
			return err
		case time.Since(begun) >= patience:
			return ErrLocked
		case time.Since(said) >= sayEvery:
			said = time.Now()
			log.Info("another process holds the "+name+" lock: waiting", "at_most", patience.String())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}
