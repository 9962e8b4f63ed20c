package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

func TestLockWaitIsLoggedAndBounded(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		frees    int // the attempt that gets the lock; 0: none
		patience time.Duration
		fails    error
		want     error
		logged   int
	}{
		"free":              {frees: 1, patience: time.Minute},
		"free after a wait": {frees: 3, patience: time.Minute, logged: 1},
		"never free":        {patience: 300 * time.Millisecond, want: postgres.ErrLocked, logged: 1},
		"no patience":       {want: postgres.ErrLocked},
		"a failure":         {patience: time.Minute, fails: broken, want: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log tb.Book
			attempts := 0
			err := postgres.AwaitLock(t.Context(), log.Logger(), "import",
				c.patience, func() (bool, error) {
					attempts++
					return attempts == c.frees, c.fails
				})
			require.ErrorIs(t, err, c.want)
			require.Equal(t, c.logged, strings.Count(log.String(),
				"another process holds the import lock: waiting"))
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := postgres.AwaitLock(ctx, slog.New(slog.DiscardHandler), "import", time.Minute,
		func() (bool, error) { return false, nil })
	require.ErrorIs(t, err, context.Canceled)
}
