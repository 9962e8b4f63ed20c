package postgres

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestLockWaitIsLoggedAndBounded(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		frees    int // the attempt that gets the lock; 0: none
		patience time.Duration
		fails    error
		want     error
		said     int
	}{
		"free":              {frees: 1, patience: time.Minute},
		"free after a wait": {frees: 3, patience: time.Minute, said: 1},
		"never free":        {patience: 300 * time.Millisecond, want: ErrLocked, said: 1},
		"no patience":       {want: ErrLocked},
		"a failure":         {patience: time.Minute, fails: broken, want: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			attempts := 0
			err := AwaitLock(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), "import",
				c.patience, func() (bool, error) {
					attempts++
					return attempts == c.frees, c.fails
				})
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if said := strings.Count(log.String(),
				"another process holds the import lock: waiting"); said != c.said {
				t.Errorf("said %d times, want %d: %s", said, c.said, log.String())
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := AwaitLock(ctx, slog.New(slog.DiscardHandler), "import", time.Minute,
		func() (bool, error) { return false, nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
