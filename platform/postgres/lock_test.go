package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// frees is a lock that the n-th attempt gets; 0: none.
func frees(n int, err error) func() (bool, error) {
	attempts := 0
	return func() (bool, error) {
		attempts++
		return attempts == n, err
	}
}

func TestLockWaitIsLoggedAndBounded(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		ctx    context.Context
		try    func() (bool, error)
		wait   time.Duration
		want   error
		logged int
	}{
		"free":              {t.Context(), frees(1, nil), time.Minute, nil, 0},
		"free after a wait": {t.Context(), frees(3, nil), time.Minute, nil, 1},
		"never free":        {t.Context(), frees(0, nil), 300 * time.Millisecond, postgres.ErrLocked, 1},
		"no patience":       {t.Context(), frees(0, nil), 0, postgres.ErrLocked, 0},
		"a failure":         {t.Context(), frees(0, broken), time.Minute, broken, 0},
		"stopped":           {stopped, frees(0, nil), time.Minute, context.Canceled, 0},
	} {
		var log tb.Book
		require.ErrorIs(t, postgres.AwaitLock(c.ctx, log.Logger(), "import", c.wait, c.try), c.want, name)
		require.Equal(t, c.logged, strings.Count(log.String(),
			"another process holds the import lock: waiting"), name)
	}
}
